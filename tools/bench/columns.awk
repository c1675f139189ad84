# Prints measurements as a table with a column for each line of tools/bench/bench's CSV without
# header: awk -F, -v label="head of the first line" -v field=N -f tools/bench/columns.awk. `field`
# heads the columns; with the label "log2 N" it is the logarithm of that field. Columns are two
# spaces apart at least.

# Four digits without an exponent.
function figure(x) {
    return sprintf(x >= 1000 ? "%.0f" : x >= 100 ? "%.1f" : x >= 10 ? "%.2f" : "%.3f", x)
}

function put(row, text) {
    cell[row, NR] = text
    if (length(text) > width[NR]) width[NR] = length(text)
}

function line(row, name,    column) {
    printf "%-18s", name
    for (column = 1; column <= NR; column++) printf "  %" width[column] "s", cell[row, column]
    print ""
}

{
    put(1, label == "log2 N" ? int(log($field) / log(2) + 0.5) : $field)
    put(2, $NF)
    put(3, figure($10))
    put(4, sprintf("%.0f%%", 100 * $12))
}

END {
    line(1, label)
    line(2, "published, Mkey/s")
    line(3, "clsort, Mkey/s")
    line(4, "of copy")
}
