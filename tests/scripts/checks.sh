# What the scripts have in common; they source it. $1 is the command-line program.

program=${1:-build/clsort}
case $program in */*) ;; *) program=./$program ;; esac
case $program in /*) ;; *) program=$PWD/$program ;; esac
passed=0
failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
CLSORT_CACHE="$folder/.kernels kept"   # not the user's
export CLSORT_CACHE
trap 'exit 1' HUP INT TERM

# check NAME COMMAND...: the command must succeed; what it printed is shown when it does not. With
# CLSORT_TEST_ONLY it only runs if the name holds that; a few need others before them.
check()
{
    check_name=$1
    shift
    case $check_name in *"${CLSORT_TEST_ONLY-}"*) ;; *) return 0 ;; esac
    if "$@" >"$folder/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $check_name"
        sed 's/^/    /' "$folder/log" | grep -v 'warnings* generated' | head -n 60
    fi
}

# whole COMMAND...: only with CLSORT_TEST_WHOLE. For checks that differ from one that always runs in
# types, algorithms or numbers only.
whole() { [ -z "${CLSORT_TEST_WHOLE-}" ] || "$@"; }

# exits CODE COMMAND...: the command must end with that exit code.
exits()
{
    wanted=$1
    shift
    "$@"
    code=$?
    [ "$code" -eq "$wanted" ] || { echo "exit code $code instead of $wanted"; return 1; }
}

# says TEXT COMMAND...: what the command prints, on either stream, must hold the text.
says()
{
    text=$1
    shift
    "$@" >"$folder/said" 2>&1
    cat "$folder/said"
    grep -qF -- "$text" "$folder/said" || { echo "does not say: $text"; return 1; }
}

# refused CODE TEXT ARGUMENT...: clsort must end with that exit code and say that.
refused()
{
    wanted=$1 text=$2
    shift 2
    says "$text" exits "$wanted" clsort "$@"
}

# prints TEXT ARGUMENT...: clsort must succeed and print that.
prints() { refused 0 "$@"; }

checks_end()
{
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

clsort() { "$program" "$@"; }

lines() { printf '%s\n' "$@"; }
