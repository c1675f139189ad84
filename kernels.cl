/* kernels.cl - all device code of clsort. Public domain or MIT, like clsort.h, which carries this
   file as a string.

   A KERNEL, whole, from "bitonic: published": one step of a bitonic sort, with a work-item for each
   element. Other kernels follow its conventions.

    CLSORT_KERNEL void clsort_bitonic_a(CLSORT_SORT_ARGS, uint n, uint bit, uint mirror)
    {
        const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
        const codec_t codec = CLSORT_CODEC;
        const uint i = (uint)get_global_id(0), partner = i ^ (mirror ? (2u << bit) - 1 : 1u << bit);
        if (i >= n)
            return;
        item_t own = load_item(source, codec, i, n), other = load_item(source, codec, partner, n);
        if (i < partner)
            order_items(&own, &other);
        else
            order_items(&other, &own);
        store_item(target, codec, i, n, own);
    }

     CLSORT_KERNEL      `kernel` with attributes, which fix the work-group's size: CLSORT_GROUP
     CLSORT_SORT_ARGS   the arguments that most kernels begin with: of the arrays source and target
                        the buffers and byte offsets of keys and values, then the three numbers of
                        the codec
     n                  the number of elements. A buffer on the device may lower it: kernels that
                        allow that say n = CLSORT_COUNT(n) before they use it
     bit, mirror        which elements the step compares: see BITONIC
     CLSORT_ARRAY,      structs made of the arguments: `keys` and `values` of an array point at its
     CLSORT_CODEC       first element, the codec says how a key becomes a code
     if (i >= n)        the host launches whole work-groups: the last one has work-items to spare.
                        They may return, because no barrier follows
     load_item          loads an element and encodes its key. At n and beyond it returns an item
                        that precedes no other, so `partner` needs no check
     order_items        puts the smaller code into the first item; equal items stay
     store_item         decodes the key and stores the element; at n and beyond it stores nothing

   Both work-items of a pair load both elements, and each writes only target[i]. So source and
   target must be different arrays: otherwise one might load what the other has written. Kernels of
   work-groups that share a tile have pointers to local memory as their last arguments.

   BARRIERS. A function that uses local memory says who calls it and where barriers are needed.
   Memory is FREE if no other work-item still reads or writes it. "Needs a barrier after": other
   work-items see what the function wrote only after a barrier, which the caller must have. Either
   all work-items of a group reach a barrier, or none does. So work-items without elements call
   functions with barriers, too.

   CODES are unsigned integers in the order that the caller wants. Kernels compare nothing else,
   except with a comparator of the caller. So the type of the keys, the order and the place of NaNs
   are run-time numbers, and no kernel needs an extension for floating-point numbers. A program is
   compiled for a family of kernels, a width of keys, a size of values and a shape of work-groups:
   see "tuning".

   WORDS
     element     one key with its value or record; `n` counts elements
     code        the unsigned integer that stands for a key
     item        the unit that a work-item compares and moves: one element, or on CPUs 16 elements
                 in the lanes of a vector
     lane        one element of a vector; one work-item of a warp, or of 16 that search together
     size        a number of elements; a number of bytes is called bytes
     tile        the items that a work-group, or on CPUs a work-item, holds at once
     window      the items that a work-item holds in registers at once: their numbers differ only in
                 a few consecutive bits
     run         a sorted range that a merge reads
     slice       the part of a merged run that one work-group writes
     split       the places in both runs where a slice starts
     segment     a range of elements that is sorted by itself. Rows of the API, arrays of equal
                 length, are segments, too
     job         one slice of a segment that is too long for one work-group
     piece       on CPUs, the elements of a segment that one work-item sorts
     block       in radix and quicksort, the elements that one work-group counts and moves
     digit       some bits of a code: a pass of radix sorts by one digit. In hybrid radix and
                 partitions, the number of the part that a code belongs to
     cell        codes of equal span; consecutive cells make a range
     range       consecutive codes; each range has about the same number of elements
     bucket      after a distribution, the elements that one work-group sorts
     capacity    the most elements that a work-group sorts at once
     sequence    a range that a round of quicksort partitions, into sequences of the next round,
                 leaves or leftovers
     place       the index where an element goes
     source, target, alt
                 the arrays: elements come from the source and end in the target. Between, they may
                 pass through a second array, alt
     x_at        a kernel argument: the byte offset of x in its buffer

   BITONIC, the normalised network. Stage s merges sorted blocks of 2^s elements into blocks of
   2^(s+1). Its first step compares each element with its mirror in the block. Its other steps, of
   bits s-1, s-2 ... 0, compare i with i + 2^bit. The smaller element always goes to the smaller
   index. If elements beyond the end existed and were the largest, they would never move. So any
   number of elements is sorted in place, without padding.

     stage 2, blocks of 8      mirror        bit 1         bit 0
       0  o----------------o             o---o         o-o
       1  | o------------o |             | o-|-o       o-o
       2  | | o--------o | |             o-|-o |       o-o
       3  | | | o----o | | |               o---o       o-o
       4  | | | o----o | | |             o---o         o-o
       5  | | o--------o | |             | o-|-o       o-o
       6  | o------------o |             o-|-o |       o-o
       7  o----------------o               o---o       o-o

   A sort of 2^L elements in tiles of 2^T takes the passes below. Each pass reads and writes every
   element once. The window kernel B16 does 1 to 4 steps in a pass; below, brackets hold the bits of
   its steps. A tile kernel does all steps whose bits lie inside a tile: in the first stages
   ("tile"), or at the end of a later stage ("tail").

     stages 0 .. T-1     tile
     stage  T            B16(T)                  tail
     stage  T+1          B16(T+1, T)             tail
     stage  T+4          B16(T+4 .. T+1) B16(T)  tail      ... */

//---- passes: merge
/* MERGE. Tiles are sorted. Then passes merge runs of 1, 2, 4 ... tiles in pairs, from one array to
   the other. A pass reads and writes every element once, and each work-group writes one slice of a
   merged run. A merge is a path, a staircase through the grid of both runs. A slice starts where
   its diagonal crosses this path. This crossing is the split; a binary search along the diagonal
   finds it.

                    second run ->
                  o---+ . . . . .        a step to the right takes the next element of the
     first run    . . +---+ / . .        second run, a step down one of the first run; the
         |        . . . / +-+ . .        diagonal / cuts off as many steps as elements
         v        . / . . . +---o        precede the slice

   Inside a slice each work-item finds its own split in the same way, and merges a few elements in
   registers. Among equal elements the first run's come first, so all sorts of this family are
   stable.

   SEGMENTS are merged side by side: a million of them take no more launches than one. Elements are
   cut into half tiles, and each half tile has a work-group. It packs the short segments, of up to
   half a tile, that begin in its half tile: together they fit into one tile. Longer segments are
   cut into tiles. Each pass merges runs in every segment that still has several. Below, letters are
   elements and a tile has 8:

     elements   a a a b b c d d d d d d d d d d d d d d d d d d d e e f
     half tiles |       |       |       |       |       |       |
     pack       [   0   ] 1                                       [ 6 ]    work-groups 0, 1, 6
     tile                   [             ] [             ] [   ]          d: its tiles are jobs
     pass 0                 [                             ] [   ]
     pass 1                 [                                   ]

   On CPUs a work-item takes a whole segment of up to 16384 elements, or a piece of a longer one,
   and sorts it by radix.

   DISTRIBUTION. Radix, samples, partitions and merges of many runs put elements into PARTS that
   follow each other. All elements of a part have the same digit, or lie between the same two
   splitters. Below, work-groups have tiles of 4, and parts begin at 0, 4 and 7:

     source       7 2 9 4 | 1 8 3 6 | 5 0 2 9
     part         2 0 2 1 | 0 2 0 1 | 1 0 0 2          find: the part of each element
     counts       1 1 2   | 2 1 1   | 2 1 1            count: each tile's elements of each part
     places       0 5 8   | 1 6 10  | 3 7 11           scan: sums, part by part, tile by tile
     rank         0 0 1 0 | 0 0 1 0 | 0 0 1 0          rank: earlier ones of the part in the tile
     target       2 1 3 0 2 | 4 6 5 | 7 9 8 9          move: to the place of tile and part, + rank

   Then each part is sorted. The families differ in how they do a step:

     family       parts               counts become places    ranks               parts then
     passes       a digit, from the   kernels add up; on      votes of warps, or  next digit
                  lowest one on       CPUs one work-item      counters of teams
     SWEEP        a digit, from the   tiles look back at      votes of warps, or  next digit
                  lowest one on       the tiles before        counters of teams
     HYBRID       ranges of cells of  an atomic for each      local atomics, not  a second digit,
                  a sample            tile and part           stable              then a bucket
     SAMPLES      between samples     buckets add up tiles'   local atomics; the  a bucket
                  of the source       counts                  number breaks ties
     RANKS        one element each    none                    searches in blocks  none
     CACHED       ranges of cells of  one work-item adds up   order in the block  vectors, or
                  a sample, on CPUs   blocks' counts                              digits, of a
                                                                                  work-item
     PARTITION    between splitters   kernels count and scan  as passes           left to the
                  of the caller                                                   caller
     runs         between samples of  searches in the runs    merges; on GPUs,    none
                  the runs                                    bins of bare keys

   Chunks that several families use: "group" and "group: totals" scan; chunks "distribution: ..."
   find, count, rank and move: "digits" and "splitters" find; "counts of a block" and "elements of a
   block move" count, rank and move for a work-item; "counting" to "tiles move" for a work-group;
   "buckets: linear maps" and "buckets: bins" sort buckets of hybrid radix and of merges of runs.
   Samples have bins of their own. The chapter of a family has its kernels and says how they decide.

   NAMES, as clsort_set_algorithm takes them, and the chapters that explain them. Most names
   reproduce published sorts, so that they can be measured. PERFORMANCE in clsort.h says what they
   cost.

     auto                the fastest for the device and the description; never quicksort
     merge               MERGE above; also sorts rows and segments
     radix               the fastest of the five names below that begin with radix
     radix-portable      8 bits of the key at a time, from the lowest ones on, except digits that
                         all keys share; a digit takes two launches, on CPUs three:
                         "distribution: passes of radix"
     radix-sweeps        as radix-portable, one launch per digit, on NVIDIA's GPUs: "radix: sweep"
     radix-hybrid        from the top of the key down: two partitions into ranges of about equal
                         load, then each bucket in local memory: "hybrid"
     radix-samples       few elements: "ranks", and "samples"
     radix-cached        on CPUs, a partition into ranges that fit a core's cache: "cached",
                         "vectors"
     quicksort           rounds of partitions around pivots, all enqueued at once; then a work-group
                         sorts each range that is short enough: "quicksort"
     quicksort-host      as quicksort, but the host reads the state and launches the next round
     quicksort-device    as quicksort, but a kernel launches the next round
     bitonic             BITONIC above: tiles, and up to four steps a launch; on CPUs in vector
                         registers
     bitonic-a           a step a launch, out of place, a work-item for each key
     bitonic-b2, -b4, -b8, -b16
                         up to one, two, three, four steps a launch, in place
     bitonic-a-local ... bitonic-b16-local
                         as bitonic-a ... bitonic-b16, but the first stages and the ends of later
                         stages run in local memory
     bitonic-b16-global-tail
                         as bitonic-b16-local, with global in place of local memory
     bitonic-shared-512  blocks of 512 in local memory, then a step a launch
     bitonic-local-only, merge-local-only
                         blocks in local memory and nothing else
     batch-odd-even, batch-bitonic
                         a work-group for each row, all in global memory: Batcher's odd-even merge
                         sort, or a bitonic network: "batch"
     batch-bitonic-local as batch-bitonic, but steps inside a block run in local memory; a block has
                         two keys for each work-item
     batch-bitonic-split as batch-bitonic-local, but the step above a block runs while blocks are
                         loaded, and half of the keys wait in registers

   Parts of the API without such names: partitions into parts that the caller bounds, "partition";
   merges of many runs, "runs"; the first k of each row, "select"; taking keys out of records,
   "sort"; "gather", "groups", "is_sorted", "proof".

   An item is CLSORT_LANES consecutive elements: one on devices that run work-items side by side, 16
   on CPUs, where a work-item holds items in vector registers. Inside a tile each work-item holds
   the 2^CLSORT_ITEMS_LOG2 items of a window. It does the steps of the bits in which these items
   differ, in registers. Then the work-group moves to the next window through local memory.

   Sources: K. E. Batcher, Sorting networks and their applications, 1968; E. Bainville, OpenCL
   Sorting, 2011; O. Green, R. McColl, D. Bader, GPU merge path, 2012; H. Inoue et al., AA-sort,
   2007. The chapters of other families name their own sources. */

//---- shared: shapes []
/* A rule line lists the programs that need its chunk, by family and by shape. A program has one of
   these shapes. A chunk listed by its family alone has the shape CLSORT__SHAPE_ANY: programs of all
   shapes need it.
   - ALONE: each work-item works alone
   - VECTORS: each work-item works alone, on items of 16 elements
   - GROUP: the work-items of a group work together
   - LANES: as ALONE, and a key fits a lane of the vectors that sort ("vectors")
   - BUCKETS: a merge of runs that sorts its tiles as buckets
   - TILES: samples with only the kernel that sorts a tile
   - VOTES: a partition into few parts, ranked by votes of warps
   - MENDS: sweeps that also sort equal prefixes
   - CARRIES: hybrid radix that carries values beside keys */
#define CLSORT__SHAPE_LIST(X) \
    X(ANY, "any") X(ALONE, "alone") X(VECTORS, "vectors") X(GROUP, "group") X(LANES, "lanes") \
    X(BUCKETS, "buckets") X(TILES, "tiles") X(VOTES, "votes") X(MENDS, "mends") \
    X(CARRIES, "carries")

//---- shared
/* Numbers that the kernels and clsort.h must agree on. tools/dev/embed also writes this part into
   clsort.h as C, so it holds only #defines that are valid in C and in OpenCL C. In macros of
   quicksort, S is the most sequences of a round. */

/* CLSORT_FAMILY: the family of kernels in a program. Public algorithms have their public
   numbers. */
#define CLSORT__FAMILY_BITONIC 1
#define CLSORT__FAMILY_MERGE 2
#define CLSORT__FAMILY_RADIX 3
#define CLSORT__FAMILY_QUICKSORT 4
#define CLSORT__FAMILY_UTILITY 32
#define CLSORT__FAMILY_PUBLISHED_BITONIC 33
#define CLSORT__FAMILY_PUBLISHED_MERGE 34
#define CLSORT__FAMILY_SWEEP 35
#define CLSORT__FAMILY_RELAUNCH 36
#define CLSORT__FAMILY_SELECT 37
#define CLSORT__FAMILY_SEGMENTS 38
#define CLSORT__FAMILY_STREAMS 39
#define CLSORT__FAMILY_BATCH 40
#define CLSORT__FAMILY_HYBRID 41
#define CLSORT__FAMILY_SHORT_ROWS 42
#define CLSORT__FAMILY_ROW_TILES 43
#define CLSORT__FAMILY_LONG_ROWS 44
#define CLSORT__FAMILY_SAMPLES 45
#define CLSORT__FAMILY_CACHED 46
#define CLSORT__FAMILY_RUNS 47
#define CLSORT__FAMILY_PARTITION 48
#define CLSORT__FAMILY_RANKS 49
#define CLSORT__FAMILY_ROUNDS 50

/* CLSORT_KERNEL_SUBSET: the part of a family's kernels that a program contains.
   - TILES: only the kernel for arrays or rows that fit a tile (bitonic, merge, radix of samples,
     segments)
   - LONG: of segments, only the kernels for segments that do not fit a tile
   - BEHIND: of sweeps, those that run after another form of radix, in case it gives up
   - ALONE: of sweeps, those that run by themselves */
#define CLSORT__SUBSET_TILES 1
#define CLSORT__SUBSET_LONG 2
#define CLSORT__SUBSET_BEHIND CLSORT__SUBSET_TILES
#define CLSORT__SUBSET_ALONE CLSORT__SUBSET_LONG

//---- shared: merges of runs [RUNS]
/* MOST_RUNS: the most runs of a merge of many runs. RUNS_TILE: elements of a work-group's tile. The
   share of each run begins at a multiple of `items` slots, so up to items - 1 slots before it stay
   empty. SHARE_WORDS: words of local memory before the tile. They hold the addresses, sizes and
   splits of the shares, and for each work-item the share that its elements belong to. */
#define CLSORT__MOST_RUNS 16
#define CLSORT__RUNS_TILE(group, items) (((group) - CLSORT__MOST_RUNS) * (items))
#define CLSORT__SHARE_WORDS(group) (8 * CLSORT__MOST_RUNS + 2 + (group))
/* Words of local memory behind a tile of bare keys that is sorted as a bucket. They hold the
   addresses and extremes of the shares, the number of elements before each share, and two
   splits. */
#define CLSORT__BARE_SHARE_WORDS (9 * CLSORT__MOST_RUNS + 1)
/* A sample of run k lies RUNS_SHIFT elements before a multiple of 2^step_log2. RUNS_SHIFTS: the sum
   of the shifts of all runs. */
#define CLSORT__RUNS_SHIFT(k, step_log2) ((CLSORT__MOST_RUNS - 1 - (k)) << ((step_log2)-4))
#define CLSORT__RUNS_SHIFTS(step_log2) \
    (CLSORT__MOST_RUNS * (CLSORT__MOST_RUNS - 1) / 2 << ((step_log2)-4))
/* Words of local memory for a work-group that searches for samples or tiles: 16 work-items search
   for each of them. */
#define CLSORT__LANE_WORDS(group) (2 * ((group) + (group) / CLSORT__MOST_RUNS))

//---- shared: local memory
/* Local memory: after each 2^pad_log2 slots of a tile one slot stays empty. So accesses at a stride
   of a power of two fall into different banks. */
#define CLSORT__KEY_PAD_LOG2(key_bytes) ((key_bytes) == 8 ? 4 : 5)
#define CLSORT__WORD_PAD_LOG2 5
/* Words of local memory for `group` work-items.
   - SCAN_WORDS: the sums of a scan
   - SCAN_TOTAL_WORDS: the sums of a scan, and their total
   - SELECT_LIST: counters and sums that lie before the list of a selection
   - PACKING_WORDS: for a tile of packed segments, a bit for each element, a word for each
     work-item, and two more words */
#define CLSORT__SCAN_WORDS(group) (2 * (group))
#define CLSORT__SCAN_TOTAL_WORDS(group) (CLSORT__SCAN_WORDS(group) + 1)
#define CLSORT__SELECT_SUMS 4
#define CLSORT__SELECT_LIST(group) (CLSORT__SELECT_SUMS + CLSORT__SCAN_TOTAL_WORDS(group))
#define CLSORT__HEAD_WORDS(tile) (((tile) + 31) / 32)
#define CLSORT__PACKING_WORDS(group, tile) (CLSORT__HEAD_WORDS(tile) + (group) + 2)
/* A team is a part of a work-group whose work-items rank elements together: a warp, or 16
   work-items where warps are not known. */
#define CLSORT__WARP 32
#define CLSORT__TEAM(group, most) ((group) < (most) ? (group) : (most))

//---- shared: radix tiles [PARTITION RADIX SWEEP]
/* Words of a radix tile: two tables of digits (offsets, next places), the counters of each team,
   the sums of a scan. Staged elements later take the memory of the sums. If warps rank and elements
   have values, elements are staged only after all of them are ranked. Then they take the memory of
   the counters, too. */
#define CLSORT__RADIX_PLACES(digits) (2 * (digits))
#define CLSORT__RADIX_COUNTERS(group, team, digits) ((group) / CLSORT__TEAM(group, team) * (digits))
#define CLSORT__RADIX_STAGES_LATE(team, value_bytes) ((team) == CLSORT__WARP && (value_bytes) > 0)
/* A partition into few parts, where warps are known.
   - LANE_COUNTERS: counters of the count: one for each part and lane
   - FEW_CHUNKS: the most chunks, of 16 bytes of keys, that the scatter stages. All keys of a chunk
     belong to one part
   - FEW_TABLES: tables behind the chunks, in units of 16 bytes: 36 bytes for each part, 4 for each
     part and warp, 1 for each chunk */
#define CLSORT__LANE_COUNTERS (16 * CLSORT__WARP)
#define CLSORT__FEW_CHUNKS(tile, key_bytes) ((tile) * (key_bytes) / 16 + 33)
#define CLSORT__FEW_TABLES(group, chunks) (36 + (group) / 8 + ((chunks) + 15) / 16)
#define CLSORT__RADIX_TILE_WORDS(digits, counters, sums, staged, late) \
    (CLSORT__RADIX_PLACES(digits) + (counters) \
     + ((staged) > (sums) + ((late) ? (counters) : 0) ? (staged) - ((late) ? (counters) : 0) \
                                                        : (sums)))

//---- shared: arguments
/* In bytes: a pair of code and index that a selection ranks. */
#define CLSORT__RANKED_BYTES(key_bytes) ((key_bytes) == 8 ? 16 : 8)
/* In words: the sums of a scan, or the counts of parts, in quicksort. */
#define CLSORT__QUICK_SUMS(group) (CLSORT__SCAN_WORDS(group) + 2)

/* Bits of the argument `given_as`, which says how segments are given. */
#define CLSORT__SEGMENTS_AT_OFFSETS 1
#define CLSORT__SEGMENTS_IN_RANGES 2
#define CLSORT__COUNT_ON_DEVICE 4
/* A bit of the `given_as` of selections: each row has a length of its own. */
#define CLSORT__ROW_LENGTHS 8
/* Bit of `given_as`: segments at offsets also have ends, so there may be gaps between segments. */
#define CLSORT__SEGMENTS_HAVE_GAPS 16
/* Forms of a gather. 0: indices name the rows to take, which begin at equal distances. FROM_STARTS:
   a buffer has the first element of each row of the source. COPIES: element i goes to place i. */
#define CLSORT__GATHER_FROM_STARTS 1
#define CLSORT__GATHER_COPIES 2
/* RANGE_WORDS: words of a range in a list. JOB_HEAD: words at the head of the table of jobs. They
   are 0 before a launch. */
#define CLSORT__RANGE_WORDS 8
#define CLSORT__JOB_HEAD 5

//---- shared: merges [MERGE SEGMENTS]
/* Where a merge's pass gets its splits. STORED: from a kernel before it. Else each work-group or
   work-item searches for them. With a comparator, the work-groups then agree on each split through
   one of two words of its slice, which was NO_SPLIT before: the first word with 0, the second one
   with SECOND. */
#define CLSORT__SPLITS_STORED 1
#define CLSORT__SPLITS_SECOND 2
#define CLSORT__NO_SPLIT 0xFFFFFFFFu

//---- shared: radix tables [CACHED HYBRID PARTITION RADIX SEGMENTS SWEEP]
/* Radix tables, in words. The plan has one word for each pass. The bits seen take SEEN_WORDS for
   each block. The tables of sweeps begin with a head of SWEEP_HEAD words: plan, bits seen, a ticket
   counter for each pass, the number of low bits left, the number of equal prefixes. */
#define CLSORT__PLAN_WORDS 32
#define CLSORT__SEEN_WORDS 4
/* A stretch is STRETCH_BLOCKS consecutive blocks of work-groups. If there are several stretches,
   each has a sum of its blocks' counts for each digit. STRETCHES: the number of stretches, or 0 if
   there is only one. */
#define CLSORT__STRETCH_BLOCKS 32
#define CLSORT__STRETCHES(blocks) \
    ((blocks) > CLSORT__STRETCH_BLOCKS ? ((blocks)-1) / CLSORT__STRETCH_BLOCKS + 1 : 0)
#define CLSORT__SWEEP_PASSES 8
#define CLSORT__SWEEP_HEAD 64
/* SKIP_PASSES: a word of the plan. It is not 0 while another form of radix sorts, or has nothing to
   sort; the passes behind it then do nothing. If that form gives up, it clears the word. MAY_SKIP
   and LEAVES_BITS are bits of the argument in_place. MAY_SKIP: do nothing if that word is not 0.
   LEAVES_BITS: leave the low bits to a sort of equal prefixes. ALT_IS_SOURCE: a value of its lower
   bits. */
#define CLSORT__SKIP_PASSES 31
#define CLSORT__ALT_IS_SOURCE 2
#define CLSORT__MAY_SKIP 4
#define CLSORT__LEAVES_BITS 8
/* Digits of a key. */
#define CLSORT__DIGITS_OF(key_bytes, digit_bits) ((8 * (key_bytes) + (digit_bits)-1) / (digit_bits))
/* LEAST_COPIES: copies of each local counter in a count of one digit. HISTOGRAM_COPIES: copies in a
   histogram of all digits, by the number of its counters. Without warps such a counter has 16 bits
   and counts to COUNTER_MOST. */
#define CLSORT__LEAST_COPIES 8
#define CLSORT__HISTOGRAM_COPIES(counters, warps) \
    ((warps)              ? 2 \
     : (counters) <= 512  ? 32 \
     : (counters) <= 1024 ? 16 \
                          : CLSORT__LEAST_COPIES)
#define CLSORT__COUNTER_MOST 65535

//---- shared: hybrid radix [HYBRID RUNS.buckets]
/* Hybrid radix.
   - DIGITS: the most ranges
   - CELLS: the most cells of the sample
   - MASK_CELLS: cells whose bits share a word of masks
   - CELL_GROUP_LOG2: log2 of the cells in a cell group. There are DIGITS - 2 cell groups
   - SAMPLE_LOG2: log2 of the keys in the sample
   - EVEN_DIGITS: ranges with equal parts of the sample; the other ranges have equal widths
   - MOST_SECOND_DIGITS: the most second digits of a range */
#define CLSORT__HYBRID_DIGITS 256
#define CLSORT__HYBRID_CELLS 16384
#define CLSORT__HYBRID_MASK_CELLS 16
#define CLSORT__HYBRID_CELL_GROUP_LOG2 6
#define CLSORT__HYBRID_SAMPLE_LOG2 14
#define CLSORT__HYBRID_EVEN_DIGITS 192
#define CLSORT__HYBRID_MOST_SECOND_DIGITS(key_bytes, wide) ((key_bytes) == 8 || (wide) ? 1024 : 512)
/* HEAVY_SAMPLE: keys of the sample that are searched for heavy codes. FILLERS: the most work-groups
   that write the keys of heavy codes. */
#define CLSORT__HYBRID_HEAVY_SAMPLE 1024
#define CLSORT__HYBRID_FILLERS 2048
/* Tables of hybrid radix, in words: a head of 32, masks, counts of ranges, ranges, heavy codes,
   counts of second digits. Words of the head (a code takes two):

     OVER           number of keys in buckets above the capacity
     TILES          number of tiles that resplit moves
     DIGITS         number of ranges in use
     SHIFT, FACTOR, LEAST, MOST
                    the map from codes to cells, and the end of the cells
     CELL_GROUPS    1: each range is a cell group
     HEAVIES        number of heavy codes
     LISTED         number of buckets to be sorted
     GAP_*          the gap that cells leave out: its first code, its end, the codes left out
     FIRST, LAST    two codes each: the least key is expected between the two of FIRST, the
                    greatest key between the two of LAST
     GROUP_DIGITS   second digits of each cell group if they are counted ahead, or 0
     ORDER          ORDER_*, an order that the keys may be in already */
#define CLSORT__HEAD_OVER 0
#define CLSORT__HEAD_TILES 1
#define CLSORT__HEAD_DIGITS 2
#define CLSORT__HEAD_SHIFT 3
#define CLSORT__HEAD_FACTOR 4
#define CLSORT__HEAD_CELL_GROUPS 5
#define CLSORT__HEAD_LEAST 6
#define CLSORT__HEAD_MOST 8
#define CLSORT__HEAD_HEAVIES 10
#define CLSORT__HEAD_LISTED 11
#define CLSORT__HEAD_GAP_LOW 12
#define CLSORT__HEAD_GAP_END 14
#define CLSORT__HEAD_GAP_SIZE 16
#define CLSORT__HEAD_FIRST 18
#define CLSORT__HEAD_LAST 22
#define CLSORT__HEAD_GROUP_DIGITS 26
#define CLSORT__HEAD_ORDER 27
#define CLSORT__HYBRID_RANGE_WORDS 8
#define CLSORT__HYBRID_HEAVY_WORDS 4
#define CLSORT__HYBRID_MASKS_AT 32
#define CLSORT__HYBRID_NEXT_AT \
    (CLSORT__HYBRID_MASKS_AT + CLSORT__HYBRID_CELLS / CLSORT__HYBRID_MASK_CELLS)
#define CLSORT__HYBRID_RANGES_AT (CLSORT__HYBRID_NEXT_AT + CLSORT__HYBRID_DIGITS)
#define CLSORT__HYBRID_HEAVIES_AT \
    (CLSORT__HYBRID_RANGES_AT + CLSORT__HYBRID_RANGE_WORDS * CLSORT__HYBRID_DIGITS)
#define CLSORT__HYBRID_SECOND_DIGITS_AT \
    (CLSORT__HYBRID_HEAVIES_AT + CLSORT__HYBRID_HEAVY_WORDS * CLSORT__EDGE_HEAVIES)
/* log2 of the fewest work-items of a work-group. */
#define CLSORT__HYBRID_LEAST_GROUP 6
/* COPIES: copies of each counter of ranges, so that lanes with equal digits meet less often.
   RECOUNT_TILES: tiles that a work-group of recount counts. OWN_BINS_LOG2: log2 of the bins that
   each work-item of a bucket has. SPARE_BINS: bins that count the elements beyond the end. */
#define CLSORT__HYBRID_COPIES 4
#define CLSORT__HYBRID_RECOUNT_TILES 4
#define CLSORT__HYBRID_OWN_BINS_LOG2 4
#define CLSORT__HYBRID_SPARE_BINS 32
/* Words of the counters of second digits of all cell groups. A word holds two counters. One more
   word counts codes outside of the cell groups. */
#define CLSORT__HYBRID_GROUP_DIGIT_WORDS(group_digits) \
    ((CLSORT__HYBRID_DIGITS - 2) / 2 * (group_digits) + 1)

//---- shared: samples [SAMPLES]
/* Radix of samples: log2 of the bins of a work-item. */
#define CLSORT__SAMPLES_OWN_BINS_LOG2 2
#define CLSORT__SAMPLES_WORDS 2

//---- shared: radix in cache [CACHED PARTITION RADIX SEGMENTS]
/* Radix in cache. RANGES, CELLS: the most ranges and cells of the sample. SAMPLE_LOG2: log2 of the
   most keys in the sample. Its tables, in words:
   - a head
   - MIXED_AT: for each range, whether its part of the sample has several codes
   - STARTS_AT: where each range begins
   - CELLS_AT: the range of each cell, and of the common code
   - the counts of blocks */
/* A bit of the argument in_place: elements have their numbers for values. */
#define CLSORT__NUMBERS_KEYS 16
#define CLSORT__CACHED_RANGES 256
#define CLSORT__CACHED_CELLS 4096
#define CLSORT__CACHED_SAMPLE_LOG2 12
#define CLSORT__CACHED_MIXED_AT 16
#define CLSORT__CACHED_STARTS_AT (CLSORT__CACHED_MIXED_AT + CLSORT__CACHED_RANGES)
#define CLSORT__CACHED_CELLS_AT (CLSORT__CACHED_STARTS_AT + CLSORT__CACHED_RANGES + 1)
#define CLSORT__CACHED_WORDS (CLSORT__CACHED_CELLS_AT + CLSORT__CACHED_CELLS / 4 + 1)

//---- shared: edges [HYBRID RUNS.buckets SAMPLES]
/* Thresholds: where the data or a count decides. tests/test_edges.c has a row for each name.

   The sample of hybrid radix:
   - FLAT_TIMES: the sample is flat if no work-item's cells have more than FLAT_TIMES the average
     number of keys
   - GAP_PART, LEAST_GAP_STEPS: cells leave a gap out if it is more than 1 / GAP_PART of the
     sample's span. With keys of 8 bytes, the rest of the span must also have at least
     LEAST_GAP_STEPS times 2^32 codes
   - MARGIN_LOG2, INNER_LOG2: cells extend beyond the sample on either side by 2^-MARGIN_LOG2 of its
     span; for floats, on the side of 0, by 2^-INNER_LOG2
   - LEAST_SPAN: the fewest codes that the keys of pairs must span
   - CROWDED_PART: if a cell has more than 1 / CROWDED_PART of the sample, heavy codes are searched
     for
   - LEAST_HEAVY: a code is heavy if at least this many of the keys searched have it
   - HEAVIES: the most heavy codes that are kept
   - HEAVIES_PART: at least 1 / HEAVIES_PART of the keys searched must have a heavy code. Otherwise
     no heavy code is used */
#define CLSORT__EDGE_FLAT_TIMES 2
#define CLSORT__EDGE_GAP_PART 2
#define CLSORT__EDGE_LEAST_GAP_STEPS(key_bytes) ((key_bytes) == 8 ? 1 << 16 : 0)
#define CLSORT__EDGE_MARGIN_LOG2 11
#define CLSORT__EDGE_INNER_LOG2 4
#define CLSORT__EDGE_LEAST_SPAN (1 << 24)
#define CLSORT__EDGE_CROWDED_PART 128
#define CLSORT__EDGE_LEAST_HEAVY 6
#define CLSORT__EDGE_HEAVIES 64
#define CLSORT__EDGE_HEAVIES_PART 2
/* The exact counts of hybrid radix:
   - BUCKET_ITEMS: the keys of a bucket that each work-item sorts
   - EVEN_ROOM, ROOM: bounds of the average number of keys in a second digit; a range gets enough
     second digits for EVEN_ROOM if codes lie about evenly, otherwise for ROOM
   - MOST_EVEN: second digits that were counted ahead are used if in each cell group they have at
     most MOST_EVEN keys on average
   - HEAVY_PART: other passes sort if one range, or one cell of the sample, has more than 1 /
     HEAVY_PART of the keys
   - OVER_PART: other passes also sort if buckets above the capacity together have more than 1 /
     OVER_PART of the keys
   - OVER_TIMES: other passes also sort if one bucket has more than OVER_TIMES the capacity. About
     2^-14 of many keys lie outside of the sample and may crowd into few buckets. So OVER_TIMES
     grows with the number of keys */
#define CLSORT__EDGE_BUCKET_ITEMS(key_bytes) ((key_bytes) == 8 ? 12 : 20)
#define CLSORT__EDGE_EVEN_ROOM(bucket, group) ((bucket) - (group) - (group) / 4)
#define CLSORT__EDGE_MOST_EVEN(bucket, group) ((bucket) - (group))
#define CLSORT__EDGE_ROOM(bucket) ((bucket) / 8 * 7)
#define CLSORT__EDGE_HEAVY_PART 4
#define CLSORT__EDGE_OVER_PART 8
#define CLSORT__EDGE_OVER_TIMES(n) (8 + ((n) >> 22))
/* Where warps are known, a warp counts equal keys together if enough lanes agree with its first
   lane. DIGITS_CROWD: 1 / DIGITS_CROWD of the lanes must agree on the digit. BINS_CROWD: 1 /
   BINS_CROWD must agree on the bin of runs, or on the second digit of cell groups. */
#define CLSORT__EDGE_DIGITS_CROWD 2
#define CLSORT__EDGE_BINS_CROWD 4
/* Bins.
   - MOST_TRANSPOSED: the longest bin that odd-even transposition sorts; in a merge of runs, bins
     may be twice as long
   - RUNS_LONG_BIN: in a merge of runs, bins of equal width are tried first. If one has more keys
     than this, keys become the borders of bins instead
   - MOST_TRUSTED: if the longest bin has more keys than this, the order of keys is checked before
     they are sorted
   - SAMPLES_LONG_BIN: in radix of samples, if a bin has more keys than this, codes are merged
     instead */
#define CLSORT__EDGE_MOST_TRANSPOSED 96
#define CLSORT__EDGE_RUNS_LONG_BIN 24
#define CLSORT__EDGE_MOST_TRUSTED 10
#define CLSORT__EDGE_SAMPLES_LONG_BIN 48

//---- shared: edges of radix [CACHED SWEEP]
/* The most keys with an equal prefix that are sorted after sweeps. */
#define CLSORT__EDGE_MOST_EQUAL_PREFIX 16
/* Radix in cache.
   - RANGE_LOG2: log2 of the fewest elements that make a range
   - LEAST_RANGES: the fewest ranges
   - COMMON: a code is common if it makes this part of the sample
   - PART: if one range has more than 1 / PART of the elements, passes sort instead */
#define CLSORT__EDGE_CACHED_RANGE_LOG2 14
#define CLSORT__EDGE_CACHED_LEAST_RANGES 16
#define CLSORT__EDGE_CACHED_COMMON(sample) (3 * (sample) / 4)
#define CLSORT__EDGE_CACHED_PART(cores) (((cores) + 1) / 2)
/* The most parts of a partition whose numbers have 4 bits. */
#define CLSORT__EDGE_FEW_PARTS 16

//---- shared: edges of selections [LONG_ROWS ROUNDS ROW_TILES SELECT SHORT_ROWS STREAMS]
/* Selections. The first of a column is the element that precedes all others of the column.
   - LAST_BOUND: the last rank, among the firsts of `columns` columns, that may bound a row
   - MANY_COLUMNS: from this many columns on, firsts are ranked in blocks
   - RANKED_MOST: the longest list that a work-group ranks by comparing all with all
   - RANK_MOST: the longest list that a work-item alone ranks by comparing all with all
   - INSERT_MOST: the most elements that such a work-item keeps in order
   - LEAST_APART: such a work-item samples a row for a bound if samples lie this many elements apart
     or more */
#define CLSORT__EDGE_LAST_BOUND(columns) (5 * (columns) / 8)
#define CLSORT__EDGE_MANY_COLUMNS 128
#define CLSORT__EDGE_RANKED_MOST(group) ((group) > 64 ? 256 : 4 * (group))
#define CLSORT__EDGE_RANK_MOST 128
#define CLSORT__EDGE_INSERT_MOST 16
#define CLSORT__EDGE_LEAST_APART 8

//---- shared: quicksort [QUICKSORT RELAUNCH]
/* Tables of quicksort, in words: a state, two tables of sequences, blocks, leaves, leftovers. */
#define CLSORT__QUICK_STATE_WORDS 16
#define CLSORT__QUICK_SEQUENCE_WORDS 16
#define CLSORT__QUICK_BLOCK_WORDS 10
#define CLSORT__QUICK_MOST_BLOCKS(S) (2 * (S) + 1)
#define CLSORT__QUICK_MOST_LEAVES(S) (8 * (S) + 64)
#define CLSORT__QUICK_MOST_LEFTOVERS(S) (CLSORT__QUICK_MOST_LEAVES(S) + (S))
#define CLSORT__QUICK_BLOCKS_AT(S) \
    (CLSORT__QUICK_STATE_WORDS + 2 * CLSORT__QUICK_SEQUENCE_WORDS * (S))
#define CLSORT__QUICK_LEAVES_AT(S) \
    (CLSORT__QUICK_BLOCKS_AT(S) + CLSORT__QUICK_BLOCK_WORDS * CLSORT__QUICK_MOST_BLOCKS(S))
#define CLSORT__QUICK_LEFTOVERS_AT(S) \
    (CLSORT__QUICK_LEAVES_AT(S) + CLSORT__RANGE_WORDS * CLSORT__QUICK_MOST_LEAVES(S))
/* Words of the state: the number of sequences and of blocks of even rounds, the same two numbers of
   odd rounds, then LEAVES, LEFT and ROUNDS. */
#define CLSORT__QUICK_SEQUENCES 0
#define CLSORT__QUICK_BLOCKS 1
#define CLSORT__QUICK_LEAVES 4
#define CLSORT__QUICK_LEFT 5
#define CLSORT__QUICK_ROUNDS 6
/* Words of a leaf's stack. */
#define CLSORT__STACK_HEAD 4
#define CLSORT__STACK_WORDS (CLSORT__STACK_HEAD + 24 * CLSORT__RANGE_WORDS)
/* Pivot rules and scans, by the numbers of clsort_tuning. */
#define CLSORT__PIVOT_MEDIAN3 1
#define CLSORT__PIVOT_MIDRANGE 2
#define CLSORT__PIVOT_SAMPLE 3
#define CLSORT__SCAN_LOCAL 1
#define CLSORT__SCAN_BUILTIN 2
#define CLSORT__SCAN_BLELLOCH 3

//---- shared: selections [LONG_ROWS ROUNDS ROW_TILES SELECT SHORT_ROWS STREAMS]
/* What a selection returns of each row. FIRST: the first k elements, in order. NTH: only the k-th.
   UNORDERED: the first k, in the order that they have in the row. PARTITION: the whole row, with
   the k-th in its sorted place, the elements that come before it in front, the rest behind. */
#define CLSORT__SELECT_FIRST 0
#define CLSORT__SELECT_NTH 1
#define CLSORT__SELECT_UNORDERED 2
#define CLSORT__SELECT_PARTITION 3
/* Outputs that a selection writes. */
#define CLSORT__WRITES_INDICES 1
#define CLSORT__WRITES_KEYS 2
/* The first word of the list in a row's table. */
#define CLSORT__ROW_LIST 48
/* CLUSTER: the elements of a sample lie in clusters of CLUSTER consecutive elements. LISTED: the
   places in a work-group's list of candidates. */
#define CLSORT__CLUSTER 4
#define CLSORT__LISTED 1024

//---- shared: fields [MERGE UTILITY]
/* A field of a record, packed into 64 bits. Each name is the number of the first bit of a part.
   - bits 0 to 31: the field's offset in the record
   - BYTES, 7 bits: its bytes. With BIG_ENDIAN any number, otherwise 1, 2, 4 or 8
   - SIGN, DESCENDING, FLOAT, EQUAL_ZEROS, EQUAL_NANS, BIG_ENDIAN: flags of one bit. With BIG_ENDIAN
     the first byte counts most. EQUAL_NANS needs MANTISSA
   - MANTISSA: if NaNs come last, the number of bits of the mantissa, otherwise 0
   - FIRST_BIT, IGNORED_HIGH_BITS: low bits and high bits of the code that do not count */
#define CLSORT__FIELD_BYTES 32
#define CLSORT__FIELD_SIGN 39
#define CLSORT__FIELD_DESCENDING 40
#define CLSORT__FIELD_FLOAT 41
#define CLSORT__FIELD_EQUAL_ZEROS 42
#define CLSORT__FIELD_MANTISSA 43
#define CLSORT__FIELD_EQUAL_NANS 49
#define CLSORT__FIELD_BIG_ENDIAN 50
#define CLSORT__FIELD_FIRST_BIT 51
#define CLSORT__FIELD_IGNORED_HIGH_BITS 57

//---- tuning
/* The options of a program. clsort.h gives each of these; tools/dev/check-kernels has one of each:

     FAMILY              the family to build
     KEY_BYTES           bytes of a key: 1, 2, 4 or 8
     VALUE_BYTES         bytes that travel with a key: 0 to 8 of a value, or up to 16 of a whole
                         record, which includes the key
     RECORDS             1: the values are whole records. `keys` points at the key inside the first
                         record, and keys are not written separately
     BREAK_TIES_BY_INDEX 1: the value is a cl_uint index, and equal keys are ordered by it. Kernels
                         for few elements and for segments assign these numbers themselves
     COMPARATOR          1: the order is the caller's expression clsort_precedes(a, b) over records
                         of type clsort_record; keys are not used
     RECORD_BYTES        with a comparator: bytes of a record
     INDIRECT            1: items carry a record's number: with a comparator instead of the record;
                         without one, equal keys are ordered by the fields of these records
     TWO_ARRAYS          1: merge passes take their two runs from two arrays
     RANGES              1: segments are long ranges that other kernels left
     GROUP_LOG2          log2 of the work-items in a work-group, for every kernel of a program
     SHARE_LOG2          log2 of the work-items that share a tile: GROUP_LOG2, or 0 where each
                         work-item has a tile of its own and uses no local memory
     ITEMS_LOG2          log2 of the items that a work-item holds in registers in a tile kernel
     LANES               elements of an item: 1, or 16 with a tile per work-item
     DIGIT_BITS          bits of a digit, 4 to 8; with a block per work-item and in selections up to
                         11
     RADIX_ITEMS         elements of a work-item in a tile of radix; for short rows, the columns
                         that a work-item reads
     SCAN                how a work-group of quicksort scans, one of CLSORT__SCAN_*: with
                         group_scan_total, with the functions of OpenCL C 2.0, or as published
     WIDE                1: for many elements: sweeps look back over words of 64 bits, ranges of
                         hybrid radix have more second digits
     FORWARD_PROGRESS    1: all work-groups that have started make progress. The sweep kernels then
                         use NVIDIA's PTX
     TEAM_MOST           the most work-items in a team, which rank elements together. Without warps
                         up to 16: a word of 32 bits holds a bit for each and a count
     BRANCH_BARRIERS     1: a work-group skips steps that do not apply to it, although they have
                         barriers. PoCL 3.1 miscompiles that

   The options below are 0 if they are missing, so the code reads them by #if alone. Text of one
   family may also use an option that this family always gets:

     COUNTED             1: a buffer may lower `n` in the kernels of a sort
     KERNEL_SUBSET       the part of its family's kernels that a program contains, one of
                         CLSORT__SUBSET_*; 0: all
     TURNS               1: codes are turned, so that the bits that decide are the highest ones
     NO_VECTORS          1: keys are not sorted in vectors: a CPU whose driver says it has none
     NO_COMPRESS         1: without instructions that compress the lanes of a vector
     AHEAD               hybrid radix: keys that a work-item loads at a time. Utilities: see
                         CLSORT_EACH; 0 on GPUs
     BUCKET_ITEMS        hybrid radix that carries values: the elements of a bucket that each
                         work-item sorts
     MOST_SECOND_DIGITS  hybrid radix that carries values: of a range
     BOUND_REGISTERS     1: options bound how many registers a work-item has
     SUB_GROUP           work-items that share the registers of a thread, as Intel's GPUs count
                         them; 0: the compiler chooses. Where it may take 16 or 32, it took 32, and
                         spilled registers */
#define CLSORT_IS(name) (CLSORT_FAMILY == CLSORT__FAMILY_##name)
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

//---- tuning: families
/* Conditions that several chunks share. NEEDS_PIECES: on CPUs, each work-item sorts pieces of
   segments by radix. */
#define CLSORT_NEEDS_PIECES (CLSORT_IS(SEGMENTS) && CLSORT_SHARE_LOG2 == 0)
#define CLSORT_NEEDS_RADIX \
    (CLSORT_IS(RADIX) || CLSORT_IS(SWEEP) || CLSORT_IS(CACHED) || CLSORT_IS(PARTITION) \
     || CLSORT_NEEDS_PIECES)
/* A merge of runs of bare keys sorts its tiles as buckets, unless radix is left out. */
#ifndef CLSORT_HAS_RADIX
#define CLSORT_HAS_RADIX 1
#endif
#define CLSORT_RUN_BUCKETS \
    (CLSORT_IS(RUNS) && CLSORT_VALUE_BYTES == 0 && CLSORT_SHARE_LOG2 > 0 && CLSORT_HAS_RADIX)
/* 1: there are values, in codes (PAIRS) or beside the keys. */
#define CLSORT_VALUES_TOO ((CLSORT_IS(HYBRID) || CLSORT_IS(SAMPLES)) && CLSORT_VALUE_BYTES > 0)
#define CLSORT_NEEDS_QUICKSORT (CLSORT_IS(QUICKSORT) || CLSORT_IS(RELAUNCH))
#define CLSORT_NEEDS_PASSES (CLSORT_IS(SELECT) || CLSORT_IS(LONG_ROWS) || CLSORT_IS(STREAMS))
/* Rows, or pieces of rows, in registers. */
#define CLSORT_NEEDS_REGISTER_ROWS (CLSORT_IS(SHORT_ROWS) || CLSORT_IS(ROUNDS))
/* 1: local_id masks its result, so that compilers know its range. */
#define CLSORT_MASKS_IDS \
    (CLSORT_NEEDS_QUICKSORT || (CLSORT_NEEDS_RADIX && CLSORT_KEY_BYTES + CLSORT_VALUE_BYTES > 8))

//---- tuning: pairs [* -HYBRID.carries]
/* 1: a key of 4 bytes and its value of 4 bytes are sorted as one code of 8 bytes; CLSORT_KEY_BYTES
   is 8. In radix of samples the value may be the element's number. */
#define CLSORT_PAIRS CLSORT_VALUES_TOO

//---- tuning: no pairs [HYBRID.carries]
#define CLSORT_PAIRS 0

//---- tuning: devices
/* 1: local_id hides from NVIDIA's compiler that it always returns the same number. Otherwise the
   compiler keeps dozens of addresses in registers from one tile to the next. Without hiding, a
   partition of 2^26 u32 by 255 splitters took 0.78 instead of 0.69 ms, and one launch of all sweeps
   of 2^28 pairs of 8 bytes 11.1 instead of 9.0 ms. In sweeps of 2^26 bare keys of 4 bytes nothing
   is hidden: 1.50 instead of 1.76 ms. */
#define CLSORT_HIDES_IDS \
    ((CLSORT_IS(PARTITION) \
      || (CLSORT_IS(SWEEP) && CLSORT_KERNEL_SUBSET == CLSORT__SUBSET_BEHIND \
          && CLSORT_VALUE_BYTES)) \
     && CLSORT_FORWARD_PROGRESS)

#if CLSORT_KEY_BYTES != 1 && CLSORT_KEY_BYTES != 2 && CLSORT_KEY_BYTES != 4 && CLSORT_KEY_BYTES != 8
#error "CLSORT_KEY_BYTES must be 1, 2, 4 or 8"
#elif CLSORT_VALUE_BYTES < 0 || CLSORT_VALUE_BYTES > 16
#error "CLSORT_VALUE_BYTES must be 0 to 16"
#elif CLSORT_COMPARATOR && (CLSORT_KEY_BYTES != 1 || !CLSORT_RECORDS)
#error "CLSORT_COMPARATOR needs CLSORT_RECORDS 1 and CLSORT_KEY_BYTES 1"
#elif CLSORT_BREAK_TIES_BY_INDEX && (CLSORT_VALUE_BYTES != 4 || CLSORT_RECORDS)
#error "CLSORT_BREAK_TIES_BY_INDEX needs a cl_uint value"
#elif CLSORT_GROUP_LOG2 < 0 || CLSORT_GROUP_LOG2 > 13
#error "CLSORT_GROUP_LOG2 must be 0 to 13"
#elif CLSORT_SHARE_LOG2 != 0 && CLSORT_SHARE_LOG2 != CLSORT_GROUP_LOG2
#error "CLSORT_SHARE_LOG2 must be 0 or CLSORT_GROUP_LOG2"
#elif CLSORT_ITEMS_LOG2 < 0 || CLSORT_ITEMS_LOG2 > 5
#error "CLSORT_ITEMS_LOG2 must be 0 to 5"
#elif CLSORT_LANES != 1 && (CLSORT_LANES != 16 || CLSORT_SHARE_LOG2 != 0)
#error "CLSORT_LANES must be 1, or 16 with CLSORT_SHARE_LOG2 0"
#elif CLSORT_NEEDS_RADIX && CLSORT_LANES == 1 \
    && (CLSORT_DIGIT_BITS < 4 || CLSORT_DIGIT_BITS > (CLSORT_SHARE_LOG2 ? 8 : 11))
#error "CLSORT_DIGIT_BITS must be 4 to 8, or to 11 with CLSORT_SHARE_LOG2 0"
#elif CLSORT_NEEDS_PASSES && CLSORT_LANES == 1 \
    && (CLSORT_DIGIT_BITS < CLSORT_GROUP_LOG2 || CLSORT_DIGIT_BITS > 11)
#error "CLSORT_DIGIT_BITS must be CLSORT_GROUP_LOG2 to 11 where rows are selected from"
#elif CLSORT_NEEDS_REGISTER_ROWS && CLSORT_LANES == 1 && CLSORT_RADIX_ITEMS > 1 << CLSORT_ITEMS_LOG2
#error "CLSORT_RADIX_ITEMS must be 1 to 2^CLSORT_ITEMS_LOG2 where rows are held"
#endif   /* checks of options */

#define CLSORT_GROUP (1 << CLSORT_GROUP_LOG2)
#define CLSORT_ITEMS (1 << CLSORT_ITEMS_LOG2)
#define CLSORT_DIGITS (1 << CLSORT_DIGIT_BITS)
#define CLSORT_RADIX_TILE (CLSORT_GROUP * CLSORT_RADIX_ITEMS)
#define CLSORT_TILE_ITEMS_LOG2 (CLSORT_SHARE_LOG2 + CLSORT_ITEMS_LOG2)
#define CLSORT_TILE_ITEMS (1 << CLSORT_TILE_ITEMS_LOG2)
#define CLSORT_WORDS ((CLSORT_VALUE_BYTES + 3) / 4)
#define CLSORT_WORDS_OR_1 (CLSORT_WORDS + !CLSORT_WORDS)
/* INLINE: without it, calls would put records into memory. */
#define INLINE static inline __attribute__((always_inline))
/* For long code that rarely runs: inlined, it would multiply the time to compile. */
#define CLSORT_NOINLINE static __attribute__((noinline))
/* All work-items of a group wait here; then each sees what the others wrote to local memory. */
#define local_barrier() barrier(CLK_LOCAL_MEM_FENCE)
/* The attributes of kernels. A kernel has vec_type_hint if work-items hold vectors, or if on CPUs
   each work-item has a block. Without it Intel's compiler joins 16 work-items into a vector. Such
   kernels take 1.3 times as long, and compiling takes minutes if vectors sort or records have 12
   bytes. With BOUND_REGISTERS no size of work-groups is required, because otherwise NVIDIA's
   compiler ignores a bound of registers. */
#if CLSORT_BOUND_REGISTERS
#define CLSORT_KERNEL kernel
#elif CLSORT_SUB_GROUP
#define CLSORT_KERNEL \
    kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1), \
                          intel_reqd_sub_group_size(CLSORT_SUB_GROUP)))
#elif CLSORT_LANES > 1
#define CLSORT_KERNEL \
    kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1), vec_type_hint(codes_t)))
#elif CLSORT_SHARE_LOG2 == 0 && (CLSORT_NEEDS_RADIX || CLSORT_AHEAD)
#define CLSORT_KERNEL \
    kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1), vec_type_hint(uint16)))
#else
#define CLSORT_KERNEL kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1)))
#endif

/* The number of the work-item in its group. It is masked only where that was measured to help on an
   H200. In merges the mask takes 16 to 37 registers more. Sweeps of elements of up to 8 bytes took
   2 to 6 % more time with it, sweeps of 12 bytes 8 % less (measured before warps ranked by
   votes). */
INLINE uint local_id(void)
{
#if CLSORT_HIDES_IDS
    uint t;
    __asm__ volatile("mov.b32 %0, %1;" : "=r"(t) : "r"((uint)get_local_id(0)));
    return t & (CLSORT_GROUP - 1);
#else
    return (uint)get_local_id(0) & (CLSORT_MASKS_IDS ? CLSORT_GROUP - 1 : ~0u);
#endif
}

#define CLSORT_JOIN_(a, b) a##b
#define CLSORT_JOIN(a, b) CLSORT_JOIN_(a, b)

//---- order [BATCH CACHED LONG_ROWS MERGE QUICKSORT RELAUNCH ROUNDS SEGMENTS SELECT SHORT_ROWS
//----     STREAMS UTILITY]
/* The place of element i of the sorted order: i, or indices[i] if by_index is set. An index beyond
   the end counts as 0. It does not go unnoticed: the fingerprint of the indices reveals it. */
INLINE uint ordered_place(global const uchar *indices, uint by_index, uint i, uint n)
{
    const uint place = by_index ? ((global const uint *)indices)[i] : i;
    return place < n ? place : 0;
}

/* The least x such that 2^x >= n; 0 for no elements. */
INLINE uint ceil_log2(uint n)
{
    return n > 1 ? 32 - clz(n - 1) : 0;
}

/* A key of 1, 2, 4 or 8 bytes as 64 bits. */
INLINE ulong load_bits(global const uchar *place, uint bytes)
{
    return bytes == 1 ? *place
         : bytes == 2 ? *(global const ushort *)place
         : bytes == 4 ? *(global const uint *)place : *(global const ulong *)place;
}

INLINE void store_bits(global uchar *place, uint bytes, ulong bits)
{
    if (bytes == 1) *place = (uchar)bits;
    else if (bytes == 2) *(global ushort *)place = (ushort)bits;
    else if (bytes == 4) *(global uint *)place = (uint)bits;
    else *(global ulong *)place = bits;
}

//---- comparator
/* clsort.h inserts the caller's text between this chunk and the next one: the type clsort_record,
   and the function int clsort_precedes(clsort_record a, clsort_record b). It returns 1 if the
   caller's expression, of any scalar type, is not 0, else 0. */

//---- codec
#if CLSORT_COMPARATOR
/* Compiles only if record_size is the size of the caller's type. */
typedef char
    clsort_record_size_is_that_of_the_type[sizeof(clsort_record) == CLSORT_RECORD_BYTES ? 1 : -1];
#endif
/* Names of types. CODE_NAME: a key's code. FLAG_NAME: the result of comparing codes in vectors.
   PACK: the number of codes in 16 bytes. */
#if CLSORT_KEY_BYTES == 1
#define CLSORT_CODE_NAME uchar
#define CLSORT_FLAG_NAME char
#define CLSORT_PACK 16
#elif CLSORT_KEY_BYTES == 2
#define CLSORT_CODE_NAME ushort
#define CLSORT_FLAG_NAME short
#define CLSORT_PACK 8
#elif CLSORT_KEY_BYTES == 4
#define CLSORT_CODE_NAME uint
#define CLSORT_FLAG_NAME int
#define CLSORT_PACK 4
#else
#define CLSORT_CODE_NAME ulong
#define CLSORT_FLAG_NAME long
#define CLSORT_PACK 2
#endif   /* CLSORT_KEY_BYTES == 1 */
typedef CLSORT_CODE_NAME code_t;
typedef CLSORT_JOIN(CLSORT_CODE_NAME, CLSORT_PACK) pack_t;

/* codes_t: the codes of an item. words_t: one word of the values of an item. CLSORT_WORD_FLAG turns
   the result of comparing codes into a flag that selects words. */
#if CLSORT_LANES == 1
#define CLSORT_LANES_LOG2 0
typedef code_t codes_t;
typedef uint words_t;
#define CLSORT_WORD_FLAG(flag) (flag)
#define CLSORT_FIRST_LANE(codes) (codes)
#else
#define CLSORT_LANES_LOG2 4
typedef CLSORT_JOIN(CLSORT_CODE_NAME, 16) codes_t;
typedef uint16 words_t;
#define CLSORT_WORD_FLAG(flag) convert_int16(flag)
#define CLSORT_FIRST_LANE(codes) (codes).s0
#endif

/* The host passes the number of elements, n. With CLSORT_COUNTED a buffer may lower n, for all
   kernels of a sort alike. It is an option of programs, because one more buffer may make each
   launch slower. CLSORT_CUT: the number of blocks that n elements fill. Work-groups beyond these
   return before any barrier. */
#if CLSORT_COUNTED
#define CLSORT_COUNT_ARGS , global const uchar *limit, ulong limit_at
#define CLSORT_COUNT(n) min(n, *(global const uint *)(limit + limit_at))
#define CLSORT_CUT(blocks, n, size) \
    min(blocks, (n) / max(size, 1u) + ((n) % max(size, 1u) != 0))
#else
#define CLSORT_COUNTED 0
#define CLSORT_COUNT_ARGS
#define CLSORT_COUNT(n) (n)
#define CLSORT_CUT(blocks, n, size) blocks
#endif

/* A key k becomes code = (k ^ (sign(k) ? mask : 0) ^ flip) - rotate, modulo the width.
   - unsigned: all three are 0
   - signed: flip has the sign bit
   - floats: flip has the sign bit, mask all others
   - descending: flip is complemented
   - NaNs last: rotate is the number of NaN codes at the bottom

   With CLSORT_TURNS the code is then turned left: the bits to sort by become the highest ones, and
   ignored bits lie below them. The number of bits to turn by is in the six highest bits of
   `rotate`; numbers of NaNs are too small to reach these bits. */
#if CLSORT_COMPARATOR
/* With a comparator, a code is 0 for a record and not 0 beyond the end. `records` is the array that
   record numbers in items refer to. */
typedef struct { code_t mask, flip, rotate; global const uchar *records; } codec_t;

#define CLSORT_CODEC_ARGS \
    ulong mask, ulong flip, ulong rotate, global const uchar *records, ulong records_at \
        CLSORT_COUNT_ARGS
#define CLSORT_CODEC { (code_t)mask, (code_t)flip, (code_t)rotate, records + records_at }
#elif CLSORT_INDIRECT
/* A code is made of the first bytes of the key that differ. The key's fields lie in records of
   `stride` bytes. */
typedef struct {
    code_t mask, flip, rotate;
    global const uchar *records;
    ulong stride;
    ulong8 packed;
    uint field_count;
} codec_t;

#define CLSORT_CODEC_ARGS \
    ulong mask, ulong flip, ulong rotate, global const uchar *records, ulong records_at, \
        ulong stride, ulong8 packed, uint field_count CLSORT_COUNT_ARGS
#define CLSORT_CODEC \
    { (code_t)mask, (code_t)flip, (code_t)rotate, records + records_at, stride, packed, \
      field_count }
#else
typedef struct { code_t mask, flip, rotate; } codec_t;

#define CLSORT_CODEC_ARGS ulong mask, ulong flip, ulong rotate CLSORT_COUNT_ARGS
#define CLSORT_CODEC { CLSORT_OF_CODE(mask), CLSORT_OF_CODE(flip), CLSORT_OF_CODE(rotate) }
#endif   /* CLSORT_COMPARATOR */

/* The last code. Items beyond the end have it. */
#define CLSORT_TOP_CODE ((code_t)~(code_t)0)

/* CLSORT_NANS: the number of NaN codes of codec c. CLSORT_TURN: the number of bits by which its
   codes are turned left. CLSORT_LEFT turns a code; of a pair, which is one code, it turns only the
   key. */
#if CLSORT_TURNS
#define CLSORT_NANS (code_t)(c.rotate & CLSORT_TOP_CODE >> 6)
#define CLSORT_TURN (c.rotate >> (8 * CLSORT_KEY_BYTES - 6))
#if CLSORT_PAIRS
#define CLSORT_LEFT(type, code, bits) \
    ((ulong)rotate((uint)((code) >> 32), (uint)(bits)) << 32 | (uint)(code))
#elif CLSORT_KEY_BYTES == 8 && CLSORT_SHARE_LOG2 > 0
/* GPUs shift words of 32 bits. Each half of the result is the upper half of a shifted code. */
INLINE ulong turn_left(ulong k, uint bits)
{
    k = bits & 32 ? rotate(k, 32ul) : k;
    return k << bits % 32 >> 32 << 32 | rotate(k, 32ul) << bits % 32 >> 32;
}
#define CLSORT_LEFT(type, code, bits) turn_left(code, (uint)(bits))
#else
#define CLSORT_LEFT(type, code, bits) rotate(code, (type)(code_t)(bits))
#endif
#else
#define CLSORT_NANS c.rotate
#define CLSORT_LEFT(type, code, bits) (code)
#endif   /* CLSORT_TURNS */

/* encode and decode, for one code k or for a vector of codes. */
#define CLSORT_TOGGLED(type) \
    (type)(k ^ (-(k >> (code_t)(8 * CLSORT_KEY_BYTES - 1)) & c.mask))
#define CLSORT_CODEC_OF(type, encode, decode) \
    INLINE type encode(type k, codec_t c) \
    { \
        k = (type)((CLSORT_TOGGLED(type) ^ c.flip) - CLSORT_NANS); \
        return CLSORT_LEFT(type, k, CLSORT_TURN); \
    } \
    INLINE type decode(type k, codec_t c) \
    { \
        k = CLSORT_LEFT(type, k, -CLSORT_TURN); \
        k = (type)((type)(k + CLSORT_NANS) ^ c.flip); \
        return CLSORT_TOGGLED(type); \
    }
CLSORT_CODEC_OF(codes_t, encode, decode)

/* 1 if each key is its own code: unsigned integers in ascending order. */
INLINE uint keys_are_codes(codec_t c)
{
    return c.mask == 0 && c.flip == 0 && c.rotate == 0;
}

//---- arrays: array
/* The arrays of keys and values in global memory. */
#if CLSORT_PAIRS
/* apart: 1 if keys and values lie in two arrays, 0 if pairs lie in one. Compilers see it as a
   constant. With a pointer to tell the two cases apart, loops compiled by PoCL 3.1 stored elements
   beyond their ends. */
typedef struct { global uchar *keys, *values; uint apart; } array_t;
#define CLSORT_ARRAY_OF(keys, values, apart) { keys, values, apart }
#define CLSORT_OF_CODE(bits) (bits) << 32
#define CLSORT_PAIRS_APART(a) (a).apart
#else
typedef struct { global uchar *keys, *values; } array_t;
#define CLSORT_ARRAY_OF(keys, values, apart) { keys, values }
#define CLSORT_OF_CODE(bits) (code_t)(bits)
#define CLSORT_PAIRS_APART(a) 0
#endif

//---- arrays: source is overwritten [CACHED HYBRID]
/* With CLSORT_OVERWRITES the source is the second array. The host then passes the source also as
   the target, and the target as alt: elements move as in a sort in place, but the buckets go to alt
   in the end.
     RESULT, OTHER     the array of the result, and the array beside it
     IN_RESULT         1 if bucket b lies in the result before its sort
     IS_WRITTEN        1 if keys of a bucket of one code are in the result before its sort
     ONE_CODE          the member of a bucket that is this code
     IS_LISTED         1 if a bucket is sorted, or moved to the result
     RANGES, RANGES_ARE   of radix in cache: the array of the ranges */
#if CLSORT_OVERWRITES
#define CLSORT_RESULT alt
#define CLSORT_OTHER target
#define CLSORT_IN_RESULT(b) (!(b).resplit)
#define CLSORT_IS_WRITTEN(b) 0
#define CLSORT_ONE_CODE low
#define CLSORT_IS_LISTED(size, one_code) size > 0 && (fits_bucket(size) || one_code)
#define CLSORT_RANGES target
#define CLSORT_RANGES_ARE TARGET_IS_SOURCE
#else
#define CLSORT_RESULT target
#define CLSORT_OTHER alt
#define CLSORT_IN_RESULT(b) b.resplit
#define CLSORT_IS_WRITTEN(b) b.resplit
#define CLSORT_ONE_CODE map.low
#define CLSORT_IS_LISTED(size, one_code) size > 1 && fits_bucket(size) && !one_code
#define CLSORT_RANGES alt
#define CLSORT_RANGES_ARE ALT_IS_SOURCE
#endif   /* CLSORT_OVERWRITES */

//---- arrays [* -ROUNDS -SHORT_ROWS]
/* Only the buffers that a kernel needs: some drivers take a microsecond per buffer at each
   launch. */
#if CLSORT_RECORDS
#define CLSORT_ARRAY_ARGS(name) \
    global uchar *name##_buffer, ulong name##_keys_at, ulong name##_values_at
#define CLSORT_ARRAY(name) { name##_buffer + name##_keys_at, name##_buffer + name##_values_at }
#elif CLSORT_VALUE_BYTES == 0
#define CLSORT_ARRAY_ARGS(name) global uchar *name##_buffer, ulong name##_keys_at
#define CLSORT_ARRAY(name) { name##_buffer + name##_keys_at, name##_buffer }
#else
#define CLSORT_ARRAY_ARGS(name) \
    global uchar *name##_buffer, ulong name##_keys_at, global uchar *name##_buffer_2, \
        ulong name##_values_at
#define CLSORT_ARRAY(name) \
    CLSORT_ARRAY_OF(name##_buffer + name##_keys_at, name##_buffer_2 + name##_values_at, 1)
#endif   /* CLSORT_RECORDS */

/* The arguments that most kernels begin with. */
#define CLSORT_SORT_ARGS CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_CODEC_ARGS

/* The numbers of the three arrays that a sort moves elements between. */
enum { ARRAY_SOURCE, ARRAY_TARGET, ARRAY_ALT };

INLINE array_t array_at(uint which, array_t source, array_t target, array_t alt)
{
    const array_t a = { which == ARRAY_SOURCE   ? source.keys
                        : which == ARRAY_TARGET ? target.keys
                                                : alt.keys,
                        which == ARRAY_SOURCE   ? source.values
                        : which == ARRAY_TARGET ? target.values
                                                : alt.values };
    return a;
}

/* An item in registers: keys, and the words of their values. */
typedef struct {
    codes_t key;
    words_t word[CLSORT_WORDS_OR_1];
} item_t;

/* The widest unit that a value's alignment allows. */
#if CLSORT_VALUE_BYTES % 8 == 0
#define CLSORT_UNIT 8
#define CLSORT_UNIT_NAME ulong
#elif CLSORT_VALUE_BYTES % 4 == 0
#define CLSORT_UNIT 4
#define CLSORT_UNIT_NAME uint
#elif CLSORT_VALUE_BYTES % 2 == 0
#define CLSORT_UNIT 2
#define CLSORT_UNIT_NAME ushort
#else
#define CLSORT_UNIT 1
#define CLSORT_UNIT_NAME uchar
#endif   /* CLSORT_VALUE_BYTES % 8 == 0 */
typedef CLSORT_UNIT_NAME unit_t;

INLINE global code_t *key_place(array_t a, size_t i)
{
    return (global code_t *)(a.keys + i * (CLSORT_RECORDS ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES));
}

/* The array from element i on. i may be negative if nothing before the array's start is loaded. */
INLINE array_t advance(array_t a, long i)
{
    a.keys += i * (CLSORT_PAIRS_APART(a) ? 4
                   : CLSORT_RECORDS      ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES);
    a.values += i * CLSORT_VALUE_BYTES;
    return a;
}

//---- arrays: words [* -HYBRID -LONG_ROWS -ROUNDS -RUNS.buckets -SAMPLES -SELECT -SHORT_ROWS
//----     -STREAMS -UTILITY]
/* Moves a word between registers and memory. A word is several units, or half of one. */
#if CLSORT_UNIT == 1
#define CLSORT_LOAD_WORD(from, w) as_uint(vload4(w, from))
#define CLSORT_STORE_WORD(word, to, w) vstore4(as_uchar4(word), w, to)
#elif CLSORT_UNIT == 2
#define CLSORT_LOAD_WORD(from, w) as_uint(vload2(w, from))
#define CLSORT_STORE_WORD(word, to, w) vstore2(as_ushort2(word), w, to)
#else
#define CLSORT_LOAD_WORD(from, w) \
    ((uint)((from)[4 * (w) / CLSORT_UNIT] >> 32 * (w) % (8 * CLSORT_UNIT)))
#define CLSORT_STORE_WORD(word, to, w) (to)[w] = word
#endif
/* The number of the first unit behind the last whole word. Only the units from there on move one by
   one: a loop over all bytes, unrolled for each lane of each item, takes Intel's compiler
   minutes. */
#define CLSORT_LAST_UNITS (CLSORT_VALUE_BYTES / 4 * 4 / CLSORT_UNIT)

INLINE void load_words(array_t a, size_t i, uint *word)
{
    global const unit_t *from = (global const unit_t *)(a.values + i * CLSORT_VALUE_BYTES);
    #pragma unroll
    for (uint w = 0; w < CLSORT_VALUE_BYTES / 4; w++)
        word[w] = CLSORT_LOAD_WORD(from, w);
    if (CLSORT_VALUE_BYTES % 4)
        word[CLSORT_WORDS_OR_1 - 1] = 0;
    #pragma unroll
    for (uint u = CLSORT_LAST_UNITS; u < CLSORT_VALUE_BYTES / CLSORT_UNIT; u++)
        word[CLSORT_WORDS_OR_1 - 1] |= (uint)from[u] << (u * CLSORT_UNIT % 4 * 8);
}

/* Loads the words of an element, or zeros if it does not exist. Both cases must set the words. If
   one case leaves words unset that are kept beyond a barrier, PoCL 7.1 crashes, and LLVM 18 in PoCL
   6.0 aborts. */
INLINE void load_words_within(array_t a, size_t i, uint exists, uint *word)
{
    #pragma unroll
    for (uint w = 0; w < CLSORT_WORDS; w++)
        word[w] = 0;
    if (exists)
        load_words(a, i, word);
}

INLINE void store_words(array_t a, size_t i, const uint *word)
{
    global unit_t *to = (global unit_t *)(a.values + i * CLSORT_VALUE_BYTES);
#if CLSORT_UNIT == 8
    #pragma unroll
    for (uint u = 0; u < CLSORT_VALUE_BYTES / 8; u++)
        to[u] = word[2 * u] | (ulong)word[2 * u + 1] << 32;
#else
    #pragma unroll
    for (uint w = 0; w < CLSORT_VALUE_BYTES / 4; w++)
        CLSORT_STORE_WORD(word[w], to, w);
    #pragma unroll
    for (uint u = CLSORT_LAST_UNITS; u < CLSORT_VALUE_BYTES / CLSORT_UNIT; u++)
        to[u] = (unit_t)(word[CLSORT_WORDS_OR_1 - 1] >> (u * CLSORT_UNIT % 4 * 8));
#endif
}

INLINE void move_element(array_t from, uint i, array_t to, uint place)
{
    uint word[CLSORT_WORDS_OR_1];
    if (!CLSORT_RECORDS)
        *key_place(to, place) = *key_place(from, i);
    load_words(from, i, word);
    store_words(to, place, word);
}

/* The top item: it precedes no other. It stands for elements beyond the end and is never stored. */
INLINE item_t top_item(void)
{
    item_t r;
    r.key = (codes_t)CLSORT_TOP_CODE;
    for (uint w = 0; w < CLSORT_WORDS; w++)
        r.word[w] = (words_t)0xFFFFFFFFu;
    return r;
}

//---- record: items [* -HYBRID -LONG_ROWS -PARTITION -ROUNDS -ROW_TILES -SAMPLES -SELECT
//----     -SHORT_ROWS -STREAMS -UTILITY]
INLINE code_t code_at(array_t a, uint i, codec_t c)
{
    return CLSORT_FIRST_LANE(encode((codes_t)*key_place(a, i), c));
}

//---- record: items of one element [BATCH BITONIC.alone BITONIC.group CACHED MERGE.alone
//----     MERGE.group PUBLISHED_BITONIC.alone PUBLISHED_BITONIC.group PUBLISHED_MERGE
//----     QUICKSORT.alone QUICKSORT.group RADIX RANKS RELAUNCH.alone RELAUNCH.group RUNS.group
//----     SEGMENTS SWEEP]
INLINE item_t load_whole_item(array_t a, codec_t c, uint i)
{
    item_t r;
    r.key = CLSORT_COMPARATOR ? 0 : encode(*key_place(a, i), c);
    load_words(a, i, r.word);
    return r;
}

/* Loads element i of a source. With CLSORT_BREAK_TIES_BY_INDEX its value is `number`. */
INLINE item_t load_numbered(array_t a, codec_t c, uint i, uint number)
{
    const item_t numbered = { encode(*key_place(a, i), c), { number } };
    return CLSORT_BREAK_TIES_BY_INDEX ? numbered : load_whole_item(a, c, i);
}

/* Loads element i of n; beyond the end, the top item. */
INLINE item_t load_item(array_t a, codec_t c, uint i, uint n)
{
    return i < n ? load_whole_item(a, c, i) : top_item();
}

INLINE void store_whole_item(array_t a, codec_t c, uint i, item_t r)
{
    if (!CLSORT_RECORDS)
        *key_place(a, i) = decode(r.key, c);
    store_words(a, i, r.word);
}

/* Stores element i if it is below n. */
INLINE void store_item(array_t a, codec_t c, uint i, uint n, item_t r)
{
    if (i < n)
        store_whole_item(a, c, i, r);
}

//---- record: items of 16 [BITONIC.vectors MERGE.vectors PUBLISHED_BITONIC.vectors
//----     QUICKSORT.vectors RELAUNCH.vectors]
/* Load or store `lanes` elements one by one. They pass through private arrays: word w of lane l is
   word[w * CLSORT_LANES + l]. The other lanes of *r keep their elements. */
CLSORT_NOINLINE void load_lanes(array_t a, uint i, uint lanes, item_t *r)
{
    code_t key[CLSORT_LANES];
    vstore16(r->key, 0, key);
    for (uint l = 0; l < lanes; l++)
        key[l] = *key_place(a, (size_t)i + l);
    r->key = vload16(0, key);
    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];
    for (uint w = 0; w < CLSORT_WORDS; w++)
        vstore16(r->word[w], w, word);
    for (uint l = 0; l < lanes; l++) {
        uint one[CLSORT_WORDS_OR_1];
        load_words(a, (size_t)i + l, one);
        for (uint w = 0; w < CLSORT_WORDS; w++)
            word[w * CLSORT_LANES + l] = one[w];
    }
    for (uint w = 0; w < CLSORT_WORDS; w++)
        r->word[w] = vload16(w, word);
}

CLSORT_NOINLINE void store_lanes(array_t a, uint i, uint lanes, const item_t *r)
{
    code_t key[CLSORT_LANES];
    vstore16(r->key, 0, key);
    if (!CLSORT_RECORDS)
        for (uint l = 0; l < lanes; l++)
            *key_place(a, (size_t)i + l) = key[l];
    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];
    for (uint w = 0; w < CLSORT_WORDS; w++)
        vstore16(r->word[w], w, word);
    for (uint l = 0; l < lanes; l++) {
        uint one[CLSORT_WORDS_OR_1];
        for (uint w = 0; w < CLSORT_WORDS; w++)
            one[w] = word[w * CLSORT_LANES + l];
        store_words(a, (size_t)i + l, one);
    }
}

/* 1: whole vectors load and store items, because keys and values lie apart and a value is one
   unit. */
#define CLSORT_ITEMS_DIRECT \
    (!CLSORT_RECORDS && CLSORT_VALUE_BYTES <= 8 \
     && (CLSORT_VALUE_BYTES & (CLSORT_VALUE_BYTES - 1)) == 0)

/* Loads elements i to i + 15. */
INLINE item_t load_whole_item(array_t a, codec_t c, uint i)
{
    item_t r;
#if CLSORT_ITEMS_DIRECT
    r.key = vload16(0, key_place(a, i));
#if CLSORT_WORDS == 1
    r.word[0] = convert_uint16(vload16(0, (global const unit_t *)a.values + i));
#elif CLSORT_WORDS == 2
    ulong16 pair = vload16(0, (global const ulong *)a.values + i);
    r.word[0] = convert_uint16(pair);
    r.word[1] = convert_uint16(pair >> 32);
#endif
#else
    r = top_item();
    load_lanes(a, i, CLSORT_LANES, &r);
#endif
    r.key = encode(r.key, c);
    return r;
}

/* Stores elements i to i + 15. */
INLINE void store_whole_item(array_t a, codec_t c, uint i, item_t r)
{
    r.key = decode(r.key, c);
#if CLSORT_ITEMS_DIRECT
    vstore16(r.key, 0, key_place(a, i));
#if CLSORT_WORDS == 1
    vstore16(CLSORT_JOIN(convert_, CLSORT_JOIN(CLSORT_UNIT_NAME, 16))(r.word[0]), 0,
             (global unit_t *)a.values + i);
#elif CLSORT_WORDS == 2
    vstore16(convert_ulong16(r.word[0]) | convert_ulong16(r.word[1]) << 32, 0,
             (global ulong *)a.values + i);
#endif
#else
    store_lanes(a, i, CLSORT_LANES, &r);
#endif
}

/* Loads elements i to i + 15 of n; lanes beyond the end hold the top item. */
INLINE item_t load_item(array_t a, codec_t c, uint i, uint n)
{
    item_t r = top_item();
    r.key = decode(r.key, c);
    load_lanes(a, i, i < n ? min(n - i, (uint)CLSORT_LANES) : 0, &r);
    r.key = encode(r.key, c);
    return r;
}

/* Stores elements i to i + 15, as far as they are below n. */
INLINE void store_item(array_t a, codec_t c, uint i, uint n, item_t r)
{
    r.key = decode(r.key, c);
    store_lanes(a, i, i < n ? min(n - i, (uint)CLSORT_LANES) : 0, &r);
}

//---- record: order [CACHED MERGE.alone MERGE.group PUBLISHED_MERGE ROW_TILES RUNS.group SEGMENTS]
#if CLSORT_COMPARATOR
/* The caller's record of an item. */
INLINE clsort_record record_of(item_t r, codec_t c)
{
#if CLSORT_INDIRECT
    return ((global const clsort_record *)c.records)[r.word[0]];
#else
    union { uint word[CLSORT_WORDS_OR_1]; clsort_record record; } u;
    for (uint w = 0; w < CLSORT_WORDS; w++)
        u.word[w] = r.word[w];
    return u.record;
#endif
}

/* 1 if x comes strictly before y. Items beyond the end come before nothing. */
INLINE uint comes_before(item_t x, item_t y, codec_t c)
{
    return x.key < y.key || (!x.key && !y.key && clsort_precedes(record_of(x, c), record_of(y, c)));
}
#elif CLSORT_INDIRECT
/* The code is a part of the key: between equal codes the fields of the records decide. Items beyond
   the end come before nothing. */
CLSORT_NOINLINE uint fields_before(codec_t c, uint x, uint y);
INLINE uint comes_before(item_t x, item_t y, codec_t c)
{
    return x.key < y.key || (x.key == y.key && fields_before(c, x.word[0], y.word[0]));
}
#elif CLSORT_LANES == 1
/* Without a comparator the codes decide. */
INLINE uint comes_before(item_t x, item_t y, codec_t c) { return x.key < y.key; }
#endif   /* CLSORT_COMPARATOR */

//---- record: insertion [CACHED MERGE.alone SEGMENTS.alone SEGMENTS.lanes]
/* The most elements sorted by insertion: a tile of a merge, or a piece too short to count
   digits. */
#define CLSORT_INSERTION_MOST (CLSORT_IS(MERGE) ? CLSORT_ITEMS : 32)

/* Sorts `size` elements from `base` on by insertion, stable, from source to target, which may be
   the same. size is at most CLSORT_INSERTION_MOST. */
INLINE void insertion_sort(array_t source, array_t target, uint base, uint size, codec_t c)
{
    item_t v[CLSORT_INSERTION_MOST];
    for (uint i = 0; i < size; i++) {
        const item_t r = load_whole_item(source, c, base + i);
        uint place = i;
        for (; place > 0 && comes_before(r, v[place - 1], c); place--)
            v[place] = v[place - 1];
        v[place] = r;
    }
    for (uint i = 0; i < size; i++)
        store_whole_item(target, c, base + i, v[i]);
}

//---- jobs: segments [SEGMENTS UTILITY]
/* SEGMENTS are ranges of elements, each of which is sorted by itself. They are given in one of
   three ways:

     rows      of `count` elements each; a row begins `stride` elements after the one before it
     offsets   segment i is elements offsets[i] to ends[i] - 1. Offsets and ends above `count` are
               read as `count`; a number on the device may lower this bound. Without gaps `ends`
               points at offsets[1]
     ranges    a list that other kernels wrote, with CLSORT__RANGE_WORDS words for each range. Its
               first three words: where the range begins, its size, the array that holds it */
#define CLSORT_SEGMENT_ARGS \
    global const uchar *offsets, ulong offsets_at, global const uchar *ends, ulong ends_at, \
        global const uchar *number, ulong number_at, uint segments, uint count, uint stride, \
        uint given_as
#define CLSORT_SEGMENTS \
    { \
        (global const uint *)(offsets + offsets_at), (global const uint *)(ends + ends_at), \
            (global const uint *)(number + number_at), segments, count, stride, given_as \
    }
typedef struct {
    global const uint *offsets, *ends, *number;
    uint segments, count, stride, given_as;
} segments_t;

typedef struct { uint begin, size; } segment_t;

/* The number of segments. Ranges are counted on the device: their number may be below the
   host's. */
INLINE uint segment_count(segments_t s)
{
    return s.given_as & CLSORT__SEGMENTS_IN_RANGES && s.segments ? min(s.segments, *s.number)
                                                                 : s.segments;
}

/* Segment i, clamped to the count. Offsets that descend or point beyond the count make empty or
   overlapping segments. */
INLINE segment_t take_segment(segments_t s, uint i)
{
    const uint most = s.given_as & CLSORT__COUNT_ON_DEVICE ? min(s.count, *s.number) : s.count;
    segment_t own = { i * s.stride, most };
    if (s.given_as & CLSORT__SEGMENTS_AT_OFFSETS) {
        own.begin = min(s.offsets[i], most);
        own.size = max(min(s.ends[i], most), own.begin) - own.begin;
    }
    if (s.given_as & CLSORT__SEGMENTS_IN_RANGES) {
        own.begin = s.offsets[CLSORT__RANGE_WORDS * i];
        own.size = s.offsets[CLSORT__RANGE_WORDS * i + 1];
    }
    return own;
}

/* 1 if segment i ends after the next one begins. Both are clamped to the count. Without gaps this
   means that offsets descend. The two segments may then share elements, and work-groups must not
   sort both at once. */
INLINE uint segment_descends(segments_t s, uint i)
{
    const uint most = s.given_as & CLSORT__COUNT_ON_DEVICE ? min(s.count, *s.number) : s.count,
               gaps = s.given_as & CLSORT__SEGMENTS_HAVE_GAPS;
    if (!(s.given_as & CLSORT__SEGMENTS_AT_OFFSETS) || (gaps && i + 1 == s.segments)) return 0;
    const segment_t own = take_segment(s, i);
    return own.begin + own.size > min(s.offsets[i + 1], most);
}

/* The first segment that begins at `place` or later; the number of segments if there is none. */
INLINE uint find_segment(segments_t s, uint place)
{
    uint low = 0, high = s.segments;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (take_segment(s, middle).begin < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The segment that contains element i; an empty segment if none does. */
INLINE segment_t segment_around(segments_t s, uint i)
{
    const segment_t nowhere = { 0, 0 };
    const uint after = s.given_as & CLSORT__SEGMENTS_AT_OFFSETS ? find_segment(s, i + 1)
                                                                : i / s.stride + 1;
    const segment_t own = after ? take_segment(s, after - 1) : nowhere;
    return i >= own.begin && i - own.begin < own.size ? own : nowhere;
}

//---- jobs [SEGMENTS UTILITY]
/* A segment that is too long for one work-group, or on CPUs for one work-item, is cut into slices:
   tiles, or on CPUs pieces. A JOB is one slice of a segment. If all segments have `per` slices, job
   i is slice i % per of segment i / per. Otherwise clsort_segment_jobs lists the jobs in a table of
   words:

     0                number of jobs. Where offsets descend it may exceed `most`, the table's room
     1                slices of the longest segment
     2                not 0 if a segment descends: then nothing is sorted
     3, 4             numbers drawn and done, for passes in one launch
     5 + 2 i          the segment of job i, then its slice
     5 + 2 most + w   the first segment that begins in half tile w; undefined if none does */
enum { JOBS_LISTED, JOBS_LONGEST, JOBS_DESCEND, JOBS_NUMBERS };
#define CLSORT_JOB_ARGS \
    CLSORT_SEGMENT_ARGS, global uchar *jobs, ulong jobs_at, uint most_jobs, uint per
#define CLSORT_JOBS { CLSORT_SEGMENTS, (global uint *)(jobs + jobs_at), most_jobs, per }
typedef struct {
    segments_t segments;
    global uint *table;
    uint most, per;
} jobs_t;

/* A slice of a segment; `where` is the number of the array that holds the segment. */
typedef struct {
    segment_t segment;
    uint slice, where;
} job_t;

/* The jobs to do. None if offsets descend, because sorting would then lose elements. Without
   segments no kernel wrote the table, so it is not read. */
INLINE jobs_t sortable_jobs(jobs_t j)
{
    if (j.segments.given_as & CLSORT__SEGMENTS_AT_OFFSETS && j.segments.segments
        && j.table[JOBS_DESCEND])
        j.segments.segments = 0;
    return j;
}

/* The number of jobs. Without segments no kernel wrote the table, so it is not read. */
INLINE uint job_count(jobs_t j)
{
    const uint segments = j.segments.segments;
    return j.per ? segments * j.per : segments ? min(j.table[JOBS_LISTED], j.most) : 0;
}

/* The number of jobs of a pass that merges runs of 2^pass slices. 0 if no segment has more slices
   than that. */
INLINE uint pass_job_count(jobs_t j, uint pass)
{
    return j.per || (j.segments.segments && j.table[JOBS_LONGEST] > 1u << pass) ? job_count(j) : 0;
}

/* The table's word for a half tile. */
INLINE global uint *job_half_tile(jobs_t j, uint half_tile)
{
    return j.table + CLSORT__JOB_HEAD + 2 * (size_t)j.most + half_tile;
}

INLINE job_t take_job(jobs_t j, uint i)
{
    const segments_t s = j.segments;
    const uint which = j.per ? i / j.per : j.table[CLSORT__JOB_HEAD + 2 * i];
    const job_t job = { take_segment(s, which),
                        j.per ? i % j.per : j.table[CLSORT__JOB_HEAD + 2 * i + 1],
                        s.given_as & CLSORT__SEGMENTS_IN_RANGES
                            ? s.offsets[CLSORT__RANGE_WORDS * which + 2]
                            : ARRAY_SOURCE };
    return job;
}

/* The first job of a work-item. Its next jobs follow at distances of g, the number of work-items,
   which is a power of two. Drivers give consecutive work-items to one core. If there are fewer jobs
   than work-items, the first jobs of consecutive work-items lie about 0.62 g apart, modulo g. So
   each core gets its part of the jobs. If there are more jobs, each core gets its part anyway, and
   neighbouring jobs stay together. */
INLINE ulong first_job(ulong jobs)
{
    const ulong items = get_global_size(0), step = jobs < items ? items * 633 / 1024 | 1 : 1;
    return get_global_id(0) * step & (items - 1);
}

/* The passes of merges that a segment takes if `tile` elements of it are sorted at once. */
INLINE uint segment_passes(segment_t s, uint tile)
{
    return ceil_log2(s.size ? (s.size - 1) / tile + 1 : 1);
}

//---- local [BATCH BITONIC.group HYBRID MERGE.group PUBLISHED_MERGE QUICKSORT.group RELAUNCH.group
//----     ROW_TILES RUNS.group RUNS.buckets SAMPLES SEGMENTS.group]
/* The slot of item i in local memory. After each 32 words, or 16 keys of 8 bytes, one slot stays
   empty. So items at a stride that is a power of two spread over the 32 banks. */
#define CLSORT_KEY_PAD_LOG2 CLSORT__KEY_PAD_LOG2(CLSORT_KEY_BYTES)
#define CLSORT_WORD_SLOTS (CLSORT_TILE_ITEMS + (CLSORT_TILE_ITEMS >> CLSORT__WORD_PAD_LOG2))

INLINE uint pad_slot(uint i, const uint pad_log2)
{
    return i + (i >> pad_log2);
}

/* Load and store local item i. The caller makes sure that no other work-item writes it then. */
INLINE item_t get_item(local const code_t *keys, local const uint *words, uint i)
{
    item_t r;
    r.key = keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)];
    for (uint k = 0; k < CLSORT_WORDS; k++)
        r.word[k] = words[k * CLSORT_WORD_SLOTS + pad_slot(i, CLSORT__WORD_PAD_LOG2)];
    return r;
}

INLINE void put_item(local code_t *keys, local uint *words, uint i, item_t r)
{
    keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)] = r.key;
    for (uint k = 0; k < CLSORT_WORDS; k++)
        words[k * CLSORT_WORD_SLOTS + pad_slot(i, CLSORT__WORD_PAD_LOG2)] = r.word[k];
}

//---- group [CACHED HYBRID PARTITION QUICKSORT RADIX RELAUNCH ROUNDS ROW_TILES RUNS.buckets SAMPLES
//----     SEGMENTS SELECT SHORT_ROWS STREAMS SWEEP LONG_ROWS]
#define CLSORT_WARPS (CLSORT_FORWARD_PROGRESS && CLSORT_TEAM_MOST == CLSORT__WARP)
#define CLSORT_TEAM CLSORT__TEAM(CLSORT_GROUP, CLSORT_TEAM_MOST)
#define CLSORT_TEAMS (CLSORT_GROUP / CLSORT_TEAM)

/* A work-group of one work-item needs no barriers, which are not free on a CPU. */
#if CLSORT_GROUP_LOG2 > 0
#define group_sync() local_barrier()
#else
#define group_sync()
#endif

/* CLSORT_NOINLINE_NV marks functions that are long, or that several kernels call. NVIDIA's compiler
   takes long to inline them, so there they stay functions. They have no structs as arguments,
   because structs would go through memory. Elsewhere they are inlined, because compilers for CPUs
   accept barriers in kernels only.

   team_sync makes the team's writes to local memory visible in the team. Where warps are not known
   it is a barrier, so all work-items of a work-group must call it equally often. */
#if CLSORT_FORWARD_PROGRESS
#define CLSORT_NOINLINE_NV CLSORT_NOINLINE
INLINE void team_sync(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}
#else
#define CLSORT_NOINLINE_NV INLINE
#define team_sync() group_sync()
#endif

#if CLSORT_WARPS && CLSORT_GROUP >= CLSORT__WARP
/* Whole warps must call the functions of lanes: scan_lanes, lane_value, ballot.

   CLSORT_ADD_LANE adds another lane's %0 to %0, if that lane exists. */
#define CLSORT_ADD_LANE(mode, distance, edge) \
    "{ .reg .pred there; .reg .b32 other; shfl.sync." mode ".b32 other|there, %0, " distance ", " \
    edge ", 0xffffffff; @there add.u32 %0, %0, other; }"

/* The sum of x over the lanes up to this one. */
INLINE uint scan_lanes(uint x)
{
    __asm__ volatile(CLSORT_ADD_LANE("up", "1", "0") CLSORT_ADD_LANE("up", "2", "0")
                     CLSORT_ADD_LANE("up", "4", "0") CLSORT_ADD_LANE("up", "8", "0")
                     CLSORT_ADD_LANE("up", "16", "0") : "+r"(x));
    return x;
}

/* The x of the lane whose number is in the lower five bits of `lane`. */
INLINE uint lane_value(uint x, uint lane)
{
    uint other;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=r"(other) : "r"(x), "r"(lane));
    return other;
}

/* A bit for each lane whose x is not 0. */
INLINE uint ballot(uint x)
{
    uint lanes;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, -1; }"
                     : "=r"(lanes)
                     : "r"(x));
    return lanes;
}

/* The sum of x over the work-items before this one. Each team first sums by itself. All work-items
   of a group call it. sums: CLSORT__SCAN_WORDS words of local memory, free before the call and
   again after the next barrier. */
INLINE uint group_scan(uint x, local uint *sums)
{
    const uint team = local_id() / CLSORT_TEAM, lane = local_id() % CLSORT_TEAM,
               sum = scan_lanes(x);
    if (lane == CLSORT_TEAM - 1)
        sums[team] = sum;
    group_sync();
    uint before = lane < team ? sums[lane] : 0;
    __asm__ volatile(CLSORT_ADD_LANE("bfly", "1", "31") CLSORT_ADD_LANE("bfly", "2", "31")
                     CLSORT_ADD_LANE("bfly", "4", "31") CLSORT_ADD_LANE("bfly", "8", "31")
                     CLSORT_ADD_LANE("bfly", "16", "31") : "+r"(before));
    return before + sum - x;
}
#else
INLINE uint group_scan(uint x, local uint *sums)
{
    const uint t = local_id();
    uint sum = x, base = 0;
    sums[t] = x;
    #pragma unroll
    for (uint step = 1; step < CLSORT_TEAM; step <<= 1) {
        team_sync();
        sum += t % CLSORT_TEAM >= step ? sums[base + t - step] : 0;
        base ^= CLSORT_GROUP;
        sums[base + t] = sum;
    }
    group_sync();
    #pragma unroll
    for (uint w = 0; w + 1 < CLSORT_TEAMS; w++)
        sum += w < t / CLSORT_TEAM ? sums[base + w * CLSORT_TEAM + CLSORT_TEAM - 1] : 0;
    return sum - x;
}
#endif   /* CLSORT_WARPS && CLSORT_GROUP >= CLSORT__WARP */

/* Reads a word of local memory once. Needed if the word may change after the next barrier: PoCL 7.1
   repeats an ordinary read wherever its value is used, even behind a barrier. */
INLINE uint read_once(local uint *word) { return *(volatile local uint *)word; }

//---- group: totals [HYBRID LONG_ROWS PARTITION.group PARTITION.votes QUICKSORT.group RADIX.group
//----     RELAUNCH.group ROW_TILES RUNS.buckets SAMPLES.group SEGMENTS SELECT STREAMS SWEEP]
/* Clears words of local memory. Called by all work-items; needs a barrier after. */
INLINE void clear_words(local uint *words, uint count)
{
    for (uint i = local_id(); i < count; i += CLSORT_GROUP)
        words[i] = 0;
}

/* As group_scan; *total becomes the sum over all work-items. sums: CLSORT__SCAN_TOTAL_WORDS words,
   free again when it returns. */
INLINE uint group_scan_total(uint x, local uint *sums, uint *total)
{
    const uint before = group_scan(x, sums);
    if (local_id() == CLSORT_GROUP - 1)
        sums[2 * CLSORT_GROUP] = before + x;
    group_sync();
    *total = read_once(&sums[2 * CLSORT_GROUP]);
    return before;
}

/* rank[]: the places of a work-item's elements in their tile, two in a word. They must be set in
   ascending order of m, because an even m clears the upper half of its word. */
#define CLSORT_RANK_WORDS ((CLSORT_RADIX_ITEMS + 1) / 2)
INLINE void set_rank(uint *rank, uint m, uint place)
{
    rank[m / 2] = m % 2 ? rank[m / 2] | place << 16 : place;
}

INLINE uint get_rank(const uint *rank, uint m)
{
    return m % 2 ? rank[m / 2] >> 16 : rank[m / 2] & 0xFFFF;
}

/* digits[]: the digits of a work-item's elements, four in a word. They must be set in ascending
   order of m, because every fourth m clears the rest of its word. */
#define CLSORT_DIGIT_WORDS ((CLSORT_RADIX_ITEMS + 3) / 4)
INLINE void set_digit(uint *digits, uint m, uint digit)
{
    digits[m / 4] = m % 4 ? digits[m / 4] | digit << m % 4 * 8 : digit;
}

INLINE uint get_digit(const uint *digits, uint m)
{
    return digits[m / 4] >> m % 4 * 8 & 255;
}

/* Replaces each count by the sum of all counts before it. Each work-item owns `own` consecutive
   counts, from `counts` on. Of its first `looked_at` counts it finds the greatest, and merges it
   into *longest if it exceeds `least`. Returns the sum of all counts up to and including its own.
   Called by all work-items with a barrier since the counting; needs one after. sums: as for
   group_scan. */
INLINE uint place_counts(local uint *counts, const uint own, const uint looked_at,
                         const uint least, local uint *sums, local uint *longest)
{
    uint sum = 0, most = 0;
    #pragma unroll
    for (uint k = 0; k < own; k++) {
        sum += counts[k];
        most = k < looked_at ? max(most, counts[k]) : most;
    }
    if (most > least)
        atomic_max(longest, most);
    sum = group_scan(sum, sums);
    #pragma unroll
    for (uint k = 0; k < own; k++) {
        const uint count = counts[k];
        counts[k] = sum;
        sum += count;
    }
    return sum;
}

/* The sum of x over all work-items. Fast if x is 0 in most of them. Called by all; `word` of local
   memory is free before and after. */
INLINE uint group_total(uint x, local uint *word)
{
    if (local_id() == 0)
        *word = 0;
    group_sync();
    if (x != 0)
        atomic_add(word, x);
    group_sync();
    const uint total = read_once(word);
    group_sync();
    return total;
}

//---- group: numbers [HYBRID LONG_ROWS QUICKSORT RADIX RELAUNCH RUNS.buckets SAMPLES SEGMENTS
//----     SELECT STREAMS SWEEP]
/* ONE LAUNCH of several steps, on devices where all work-groups that have started make progress.
   Each step is cut into units of work. The units are numbered step by step. Work-groups draw
   numbers. A work-group waits with its number until the earlier steps are done. The wait ends,
   because work-groups that have started drew all earlier numbers. Two words count the numbers drawn
   and the numbers done; both are 0 before the launch. */
enum { NUMBERS_DRAWN, NUMBERS_DONE };

INLINE void fence_memory(void)
{
#if CLSORT_FORWARD_PROGRESS
    __asm__ volatile("fence.acq_rel.gpu;" : : : "memory");
#else
    mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
}

/* Draws a number for work-item 0; the others get 0. */
INLINE uint draw_ahead(global uint *numbers)
{
    return local_id() ? 0 : atomic_inc((volatile global uint *)&numbers[NUMBERS_DRAWN]);
}

/* Returns to all work-items the number that work-item 0 has drawn. Called by all; `word` of local
   memory is free before, and again after the next barrier. */
INLINE uint share_number(uint drawn, local uint *word)
{
    if (local_id() == 0)
        *word = drawn;
    group_sync();
    return read_once(word);
}

/* Waits until `wanted` numbers are done. It polls by loads, not by atomics, because many
   work-groups may wait for one word. Called by all. */
INLINE void wait_until_done(global uint *numbers, uint wanted)
{
    if (local_id() == 0)
        while (((volatile global uint *)numbers)[NUMBERS_DONE] < wanted) {}
    group_sync();
    fence_memory();
}

/* Announces that `done` more numbers are done and the group's writes visible. Called by all. */
INLINE void tell_done(global uint *numbers, uint done)
{
    fence_memory();
    group_sync();
    if (local_id() == 0)
        atomic_add((volatile global uint *)&numbers[NUMBERS_DONE], done);
}

//---- network [BATCH BITONIC MERGE.group MERGE.vectors PUBLISHED_BITONIC QUICKSORT RELAUNCH
//----     SEGMENTS.group]
/* For each lane, whether a comes strictly before b. The result selects codes. */
#define CLSORT_PRECEDES(a, b) CLSORT_TIE_BREAK((a).key, (b).key, (a).word[0], (b).word[0])
#if !CLSORT_BREAK_TIES_BY_INDEX
#define CLSORT_TIE_BREAK(ka, kb, ia, ib) ((ka) < (kb))
#elif CLSORT_LANES == 1
#define CLSORT_TIE_BREAK(ka, kb, ia, ib) ((ka) < (kb) || ((ka) == (kb) && (ia) < (ib)))
#else
#define CLSORT_TIE_BREAK(ka, kb, ia, ib) \
    (((ka) < (kb)) | (((ka) == (kb)) & CLSORT_CODE_FLAG((ia) < (ib))))
#define CLSORT_CODE_FLAG(flag) CLSORT_JOIN(convert_, CLSORT_JOIN(CLSORT_FLAG_NAME, 16))(flag)
#endif

/* Puts the smaller of two items into *a and the larger into *b, lane by lane. Equal items stay. So
   the items that stand for elements beyond the end, always at the larger index, never move. */
INLINE void order_items(item_t *a, item_t *b)
{
#if CLSORT_WORDS == 0
    codes_t low = min(a->key, b->key);
    b->key = max(a->key, b->key);
    a->key = low;
#else
    const item_t x = *a, y = *b;
    a->key = CLSORT_PRECEDES(y, x) ? y.key : x.key;
    b->key = CLSORT_PRECEDES(y, x) ? x.key : y.key;
    #pragma unroll
    for (uint w = 0; w < CLSORT_WORDS; w++) {
        a->word[w] = CLSORT_WORD_FLAG(CLSORT_PRECEDES(y, x)) ? y.word[w] : x.word[w];
        b->word[w] = CLSORT_WORD_FLAG(CLSORT_PRECEDES(y, x)) ? x.word[w] : y.word[w];
    }
#endif
}

#if CLSORT_LANES == 1
#define CLSORT_REVERSE(item)
#define lane_steps(v, items, stage)
#else
#define CLSORT_SWIZZLE_ITEM(to, from, s) \
    do { \
        (to).key = (from).key.s; \
        for (uint w = 0; w < CLSORT_WORDS; w++) (to).word[w] = (from).word[w].s; \
    } while (0)
#define CLSORT_REVERSE(item) CLSORT_SWIZZLE_ITEM(item, item, sfedcba9876543210)

/* One step inside an item: orders each lane l of `own` against lane l of `other`, which holds its
   partner. Lanes where `upper` is not 0 keep the larger element, other lanes the smaller one. */
INLINE item_t order_lanes(item_t own, item_t other, codes_t upper)
{
#if CLSORT_WORDS == 0
    own.key = upper != (codes_t)0 ? max(own.key, other.key) : min(own.key, other.key);
#else
    const item_t x = own;
#define CLSORT_TAKES (upper != (codes_t)0 ? CLSORT_PRECEDES(x, other) : CLSORT_PRECEDES(other, x))
    own.key = CLSORT_TAKES ? other.key : x.key;
    for (uint w = 0; w < CLSORT_WORDS; w++)
        own.word[w] = CLSORT_WORD_FLAG(CLSORT_TAKES) ? other.word[w] : x.word[w];
#undef CLSORT_TAKES
#endif
    return own;
}

/* The steps of a stage whose bits lie inside an item. For stage 4 and above these are the steps of
   bits 3 ... 0. For a lower stage they are its mirror step and the steps of the bits below. */
INLINE void lane_steps(item_t *v, uint items, uint stage)
{
    const codes_t lane = (codes_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#define CLSORT_LANE_STEP(swizzle, bit) \
    { \
        item_t other; \
        CLSORT_SWIZZLE_ITEM(other, r, swizzle); \
        r = order_lanes(r, other, lane & (code_t)(1 << bit)); \
    }
    for (uint m = 0; m < items; m++) {
        item_t r = v[m];
        if (stage == 3) CLSORT_LANE_STEP(sfedcba9876543210, 3)
        if (stage > 3)  CLSORT_LANE_STEP(s89abcdef01234567, 3)
        if (stage == 2) CLSORT_LANE_STEP(s76543210fedcba98, 2)
        if (stage > 2)  CLSORT_LANE_STEP(s45670123cdef89ab, 2)
        if (stage == 1) CLSORT_LANE_STEP(s32107654ba98fedc, 1)
        if (stage > 1)  CLSORT_LANE_STEP(s23016745ab89efcd, 1)
        CLSORT_LANE_STEP(s1032547698badcfe, 0)
        v[m] = r;
    }
#undef CLSORT_LANE_STEP
}
#endif   /* CLSORT_LANES == 1 */

//---- network: steps [BATCH BITONIC MERGE.group PUBLISHED_BITONIC QUICKSORT RELAUNCH
//----     SEGMENTS.group]
/* The step of one register bit, over 2^bits items. bits and bit are constants at each call, so the
   loop is unrolled and v stays in registers. */
INLINE void window_step(item_t *v, const uint bits, const uint bit, uint mirror)
{
    if (mirror) {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            if (!(m >> bit & 1)) {
                CLSORT_REVERSE(v[m ^ ((2u << bit) - 1)]);
                order_items(&v[m], &v[m ^ ((2u << bit) - 1)]);
                CLSORT_REVERSE(v[m ^ ((2u << bit) - 1)]);
            }
    } else {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            if (!(m >> bit & 1))
                order_items(&v[m], &v[m | 1u << bit]);
    }
}

/* The steps of register bits hi, hi-1 ... lo. The first one is a mirror step if `mirror` is set. */
INLINE void window_steps(item_t *v, const uint bits, uint hi, uint lo, uint mirror)
{
    if (bits > 4 && hi >= 4 && lo <= 4) window_step(v, bits, 4, mirror && hi == 4);
    if (bits > 3 && hi >= 3 && lo <= 3) window_step(v, bits, 3, mirror && hi == 3);
    if (bits > 2 && hi >= 2 && lo <= 2) window_step(v, bits, 2, mirror && hi == 2);
    if (bits > 1 && hi >= 1 && lo <= 1) window_step(v, bits, 1, mirror && hi == 1);
    if (lo == 0) window_step(v, bits, 0, mirror && hi == 0);
}

//---- window: items [BATCH BITONIC PUBLISHED_BITONIC QUICKSORT RELAUNCH]
/* The items of a window that a work-item holds. There are 2^bits of them; their numbers differ in
   `bits` bits from low_bit on. Register m holds item (m & flip ? flipped : first) + (m << low_bit).
   flip is 0 except before a mirror step, where it is the register bit of the step. A mirror step
   compares items whose numbers differ in the step's bit and in all lower bits. So in registers with
   this bit, the item's bits below low_bit are complemented. */
typedef struct { uint first, flipped, low_bit, flip; } window_t;

INLINE window_t make_window(uint t, uint bits, uint low_bit, uint flip)
{
    const uint below = (1u << low_bit) - 1,
               first = (t >> low_bit << (low_bit + bits)) | (t & below);
    const window_t w = { first, first ^ below, low_bit, flip };
    return w;
}

INLINE uint window_item(window_t w, uint m)
{
    return (m & w.flip ? w.flipped : w.first) + (m << w.low_bit);
}

/* 1 if all items of the window lie below n. Items ascend with the register's number, both from
   `first` and from `flipped` on, so the larger of the two bounds all. */
INLINE uint window_whole(window_t w, uint bits, uint base, uint n)
{
    const uint last = max(w.first, w.flipped) + (((1u << bits) - 1) << w.low_bit);
    return base + (last << CLSORT_LANES_LOG2) + (CLSORT_LANES - 1) < n;
}

//---- window: loads and stores [BATCH BITONIC PUBLISHED_BITONIC QUICKSORT.alone QUICKSORT.vectors
//----     RELAUNCH.alone RELAUNCH.vectors]
/* Load and store a window's items. base: the tile's first element. Nearly all windows are whole:
   their accesses are unrolled and check no bounds. The items of other windows pass through private
   arrays, in loops that are not unrolled. Unrolled loops would double the time to compile. Without
   the arrays, such loops would put v into memory for all windows. Keys and words have an array
   each, because Mesa 22.3 misreads arrays of structs. */
INLINE void load_window(item_t *v, window_t w, const uint bits, array_t a, codec_t c,
                        uint base, uint n)
{
    if (window_whole(w, bits, base, n)) {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            v[m] = load_whole_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2));
    } else {
        codes_t keys[32];
        words_t words[32 * CLSORT_WORDS_OR_1];
        #pragma unroll 1
        for (uint m = 0; m < 1u << bits; m++) {
            const item_t r = load_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2), n);
            keys[m] = r.key;
            for (uint k = 0; k < CLSORT_WORDS; k++)
                words[m * CLSORT_WORDS + k] = r.word[k];
        }
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++) {
            v[m].key = keys[m];
            for (uint k = 0; k < CLSORT_WORDS; k++)
                v[m].word[k] = words[m * CLSORT_WORDS + k];
        }
    }
}

INLINE void store_window(const item_t *v, window_t w, const uint bits, array_t a, codec_t c,
                         uint base, uint n)
{
    if (window_whole(w, bits, base, n)) {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            store_whole_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2), v[m]);
    } else {
        codes_t keys[32];
        words_t words[32 * CLSORT_WORDS_OR_1];
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++) {
            keys[m] = v[m].key;
            for (uint k = 0; k < CLSORT_WORDS; k++)
                words[m * CLSORT_WORDS + k] = v[m].word[k];
        }
        #pragma unroll 1
        for (uint m = 0; m < 1u << bits; m++) {
            item_t r;
            r.key = keys[m];
            for (uint k = 0; k < CLSORT_WORDS; k++)
                r.word[k] = words[m * CLSORT_WORDS + k];
            store_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2), n, r);
        }
    }
}

/* Moves elements i and j of n, i < j, from one array to the other, which may be the same, and puts
   them in order. */
INLINE void order_elements(array_t from, array_t to, codec_t c, uint n, uint i, uint j)
{
    item_t a = load_item(from, c, i, n), b = load_item(from, c, j, n);
    order_items(&a, &b);
    store_item(to, c, i, n, a);
    store_item(to, c, j, n, b);
}

/* The number of pairs of elements 2^bit apart whose first element is below n. */
INLINE uint pairs_below(uint n, uint bit)
{
    return (n >> bit >> 1 << bit) + min(n & ((2u << bit) - 1), 1u << bit);
}

/* One step of n elements in global memory. Called by all work-items of a group; ends with a
   barrier. */
INLINE void global_step(array_t from, array_t to, codec_t c, uint n, uint bit, uint mirror)
{
    for (uint t = local_id(); t < pairs_below(n, bit); t += CLSORT_GROUP) {
        const window_t w = make_window(t, 1, bit, mirror);
        order_elements(from, to, c, n, window_item(w, 0), window_item(w, 1));
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

/* The steps of register bits hi ... lo of one stage, in global memory, in place. Register bit 0
   stands for bit low_bit of an item's number. Each work-item loads one window of 2^bits items, does
   the steps in registers and stores the items. So each element is read and written once. */
INLINE void window_pass(array_t a, codec_t c, uint n, uint windows, uint low_bit, uint hi,
                        uint lo, uint mirror, const uint bits)
{
    const uint t = (uint)get_global_id(0);
    const window_t w = make_window(t, bits, low_bit, mirror ? 1u << hi : 0);
    item_t v[16];
    if (t >= windows)
        return;
    load_window(v, w, bits, a, c, 0, n);
    window_steps(v, bits, hi, lo, mirror);
    store_window(v, w, bits, a, c, 0, n);
}

#define CLSORT_WINDOW_KERNEL(name, bits) \
    CLSORT_KERNEL void name(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, uint windows, \
                            uint low_bit, uint hi, uint lo, uint mirror) \
    { \
        const array_t data = CLSORT_ARRAY(data); \
        const codec_t codec = CLSORT_CODEC; \
        window_pass(data, codec, CLSORT_COUNT(n), windows, low_bit, hi, lo, mirror, bits); \
    }

//---- window: slots [BITONIC QUICKSORT RELAUNCH]
#if CLSORT_SHARE_LOG2 > 0
/* The slots of a window's items in local memory. first: the slot of register 0. bit0 ... bit4: what
   each bit of a register's number adds to the slot. */
typedef struct { uint first, bit0, bit1, bit2, bit3, bit4; } slots_t;

INLINE uint slot_stride(window_t w, uint bit, const uint pad_log2)
{
    return pad_slot(1u << (w.low_bit + bit), pad_log2)
         + (w.flip >> bit & 1 ? pad_slot(w.flipped, pad_log2) - pad_slot(w.first, pad_log2) : 0);
}

INLINE slots_t window_slots(window_t w, const uint pad_log2)
{
    const slots_t s = { pad_slot(w.first, pad_log2), slot_stride(w, 0, pad_log2),
                        slot_stride(w, 1, pad_log2), slot_stride(w, 2, pad_log2),
                        slot_stride(w, 3, pad_log2), slot_stride(w, 4, pad_log2) };
    return s;
}

INLINE uint window_slot(slots_t s, const uint m)
{
    return s.first + (m & 16 ? s.bit4 : 0) + (m & 8 ? s.bit3 : 0) + (m & 4 ? s.bit2 : 0)
           + (m & 2 ? s.bit1 : 0) + (m & 1 ? s.bit0 : 0);
}

/* Move a work-item's items between registers and local memory. move_window has the barriers. */
INLINE void put_items(const item_t *v, local code_t *keys, local uint *words, window_t w)
{
    const slots_t key_slots = window_slots(w, CLSORT_KEY_PAD_LOG2),
                  word_slots = window_slots(w, CLSORT__WORD_PAD_LOG2);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        keys[window_slot(key_slots, m)] = v[m].key;
        #pragma unroll
        for (uint k = 0; k < CLSORT_WORDS; k++)
            words[k * CLSORT_WORD_SLOTS + window_slot(word_slots, m)] = v[m].word[k];
    }
}

INLINE void get_items(item_t *v, local const code_t *keys, local const uint *words,
                      window_t w)
{
    const slots_t key_slots = window_slots(w, CLSORT_KEY_PAD_LOG2),
                  word_slots = window_slots(w, CLSORT__WORD_PAD_LOG2);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        v[m].key = keys[window_slot(key_slots, m)];
        #pragma unroll
        for (uint k = 0; k < CLSORT_WORDS; k++)
            v[m].word[k] = words[k * CLSORT_WORD_SLOTS + window_slot(word_slots, m)];
    }
}

/* Moves the work-group's items from one window to another, through local memory. Called by tile
   kernels, by all work-items of a group. Needs no barrier before. When it returns, every work-item
   holds its items of `to` and no read is pending. */
INLINE void move_window(item_t *v, local code_t *keys, local uint *words, window_t from,
                        window_t to)
{
    put_items(v, keys, words, from);
    local_barrier();
    get_items(v, keys, words, to);
    local_barrier();
}

#else
#define move_window(v, keys, words, from, to)
#endif   /* CLSORT_SHARE_LOG2 > 0 */

//---- window: stages [BITONIC QUICKSORT RELAUNCH]
/* The work-item's number among the work-items that share a tile, and the tile's first element. */
typedef struct { uint t, base; } seat_t;

INLINE seat_t take_seat(void)
{
    const uint t = CLSORT_SHARE_LOG2 ? local_id() : 0;
    const uint tile = (uint)(CLSORT_SHARE_LOG2 ? get_group_id(0) : get_global_id(0));
    const seat_t s = { t, tile << (CLSORT_TILE_ITEMS_LOG2 + CLSORT_LANES_LOG2) };
    return s;
}

/* 1 if this work-item has no tile. If each work-item has a tile of its own, the last work-group may
   have more work-items than there are tiles. */
INLINE uint no_tile(uint n)
{
    return CLSORT_SHARE_LOG2 == 0
           && (n == 0
               || get_global_id(0) > (n - 1) >> (CLSORT_TILE_ITEMS_LOG2 + CLSORT_LANES_LOG2));
}

/* The lowest item bit of a tile's uppermost window. Tiles are loaded and stored in this window. In
   it, neighbouring work-items access neighbouring items of global memory. */
#define CLSORT_HOME_BIT (CLSORT_TILE_ITEMS_LOG2 - CLSORT_ITEMS_LOG2)

/* The window whose lowest item bit is low_bit, or CLSORT_HOME_BIT if that is lower. mirror: 1 if
   the first step in the window is the mirror step of item bit hi. */
INLINE window_t tile_window(uint t, uint low_bit, uint hi, uint mirror)
{
    low_bit = min(low_bit, (uint)CLSORT_HOME_BIT);
    return make_window(t, CLSORT_ITEMS_LOG2, low_bit, mirror && low_bit ? 1u << (hi - low_bit) : 0);
}

/* Stage `stage` of the items inside a tile: the mirror step of bit `stage`, then the steps of all
   lower bits, window by window. Returns the window that holds the items at the end. Items move
   before every window, even if they are already in place: PoCL 3.1 miscompiled a barrier under a
   run-time condition. If a work-item has the tile to itself, the number of windows is the constant
   1, so that no loop remains: inside of quicksort's loops, such a loop takes Intel's compiler 22
   s. */
INLINE window_t tile_stage(item_t *v, local code_t *keys, local uint *words, uint t,
                           window_t now, uint stage)
{
    uint hi = stage;
    uint windows = CLSORT_SHARE_LOG2 ? stage / CLSORT_ITEMS_LOG2 + 1 : 1;
    for (; windows > 0; windows--) {
        const uint low = (windows - 1) * CLSORT_ITEMS_LOG2, mirror = hi == stage;
        const window_t next = tile_window(t, low, hi, mirror);
        move_window(v, keys, words, now, next);
        window_steps(v, CLSORT_ITEMS_LOG2, hi - next.low_bit, low - next.low_bit, mirror);
        now = next;
        hi = low - 1;
    }
    return now;
}

//---- bitonic: tile [BITONIC]
/* Does stages 0 ... last in every tile of n elements, from source to target, which may be the same.
   Reads and writes each element once. The local memory, tile_keys and tile_words, is passed as
   arguments because of PoCL 3.1. If a kernel declares a local array and hands it to a function,
   PoCL 3.1 shares the array among work-groups, so records of other tiles appear. */
CLSORT_KERNEL void clsort_bitonic_tile(CLSORT_SORT_ARGS, uint n, uint last,
                                       local code_t *tile_keys, local uint *tile_words)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const seat_t seat = take_seat();
    const window_t home = tile_window(seat.t, CLSORT_HOME_BIT, 0, 0);
    window_t now = home;
    item_t v[CLSORT_ITEMS];
    n = CLSORT_COUNT(n);
    if (no_tile(n))
        return;
    load_window(v, home, CLSORT_ITEMS_LOG2, source, codec, seat.base, n);
    for (uint stage = 0; stage < CLSORT_LANES_LOG2; stage++)
        lane_steps(v, CLSORT_ITEMS, stage);
    for (uint stage = CLSORT_LANES_LOG2; stage <= last; stage++) {
        now = tile_stage(v, tile_keys, tile_words, seat.t, now, stage - CLSORT_LANES_LOG2);
        lane_steps(v, CLSORT_ITEMS, stage);
    }
    move_window(v, tile_keys, tile_words, now, home);
    store_window(v, home, CLSORT_ITEMS_LOG2, target, codec, seat.base, n);
}

#if !CLSORT_KERNEL_SUBSET
CLSORT_WINDOW_KERNEL(clsort_bitonic_b16, 4)

/* The tail of a later stage, in place: all steps whose bits lie inside a tile, from the uppermost
   window down. Reads and writes each element once. */
CLSORT_KERNEL void clsort_bitonic_tail(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n,
                                       local code_t *tile_keys, local uint *tile_words)
{
    const array_t data = CLSORT_ARRAY(data);
    const codec_t codec = CLSORT_CODEC;
    const seat_t seat = take_seat();
    const window_t home = tile_window(seat.t, CLSORT_HOME_BIT, 0, 0);
    window_t now = home;
    item_t v[CLSORT_ITEMS];
    n = CLSORT_COUNT(n);
    if (no_tile(n))
        return;
    load_window(v, home, CLSORT_ITEMS_LOG2, data, codec, seat.base, n);
    for (uint left = CLSORT_TILE_ITEMS_LOG2; left > 0;) {
        window_steps(v, CLSORT_ITEMS_LOG2, left - 1 - now.low_bit, 0, 0);
        left = now.low_bit;
        const window_t next = tile_window(
            seat.t, left ? left - min(left, (uint)CLSORT_ITEMS_LOG2) : CLSORT_HOME_BIT, 0, 0);
        move_window(v, tile_keys, tile_words, now, next);
        now = next;
    }
    lane_steps(v, CLSORT_ITEMS, 32);
    store_window(v, home, CLSORT_ITEMS_LOG2, data, codec, seat.base, n);
}
#endif   /* !CLSORT_KERNEL_SUBSET */

//---- bitonic: published [PUBLISHED_BITONIC]
CLSORT_WINDOW_KERNEL(clsort_bitonic_b2, 1)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b4, 2)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b8, 3)

#if CLSORT_LANES == 1
/* Bainville's kernel A: one step, out of place. Each work-item reads its own element and the
   partner's. It writes the one of the two that belongs to its own place. Both work-items of a pair
   agree which one that is, because equal elements stay. So no element is written twice. */
CLSORT_KERNEL void clsort_bitonic_a(CLSORT_SORT_ARGS, uint n, uint bit, uint mirror)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const uint i = (uint)get_global_id(0), partner = i ^ (mirror ? (2u << bit) - 1 : 1u << bit);
    if (i >= n)
        return;
    item_t own = load_item(source, codec, i, n), other = load_item(source, codec, partner, n);
    if (i < partner)
        order_items(&own, &other);
    else
        order_items(&other, &own);
    store_item(target, codec, i, n, own);
}

/* Does the steps of stages first ... last whose bits lie inside a tile. Each step reads and writes
   global memory. A work-group does a tile. With first = 0 it does the work of clsort_bitonic_tile.
   With first = last, a later stage, it does the work of clsort_bitonic_tail. */
CLSORT_KERNEL void clsort_bitonic_global_tile(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n,
                                              uint first, uint last)
{
    const array_t data = CLSORT_ARRAY(data);
    const codec_t codec = CLSORT_CODEC;
    const uint tile_log2 = CLSORT_GROUP_LOG2 + CLSORT_ITEMS_LOG2,
               base = (uint)get_group_id(0) << tile_log2,
               size = min(n - min(base, n), 1u << tile_log2);
    const array_t tile = advance(data, base);
    for (uint stage = first; stage <= last; stage++)
        for (uint left = min(stage + 1, tile_log2); left > 0; left--)
            global_step(tile, tile, codec, size, left - 1, left > stage);
}
#endif   /* CLSORT_LANES == 1 */

//---- merge [MERGE SEGMENTS]
/* Two runs to merge. The first run is `na` elements of array a from first_a on, the second run `nb`
   elements of array b from first_b on. The merged run begins at `start` in the target. Of two equal
   elements, the first run's comes first. So every merge here is stable. */
typedef struct {
    array_t a, b;
    uint start, first_a, na, first_b, nb;
} pair_t;

/* The codec that a pass loads or stores keys by. between: 0 for loads from the source and stores of
   the last pass, 1 for all others. With CLSORT_TURNS, passes by work-groups encode a key only once:
   clsort_merge_tile stores codes in place of keys, later passes load and store codes, and the last
   pass stores keys again. Records always keep their keys. On an H200 with NVIDIA's own paths off, a
   sort of 2^24 u64 with u32 values by bits 0 to 44 took 1.92 ms. If every pass turned codes it took
   2.58, by radix 2.62, and by whole keys 1.97 ms. */
INLINE codec_t codec_of_pass(codec_t c, uint between)
{
#if CLSORT_TURNS && CLSORT_SHARE_LOG2 > 0 && !CLSORT_RECORDS
    if (between)
        c.mask = c.flip = c.rotate = 0;
#endif
    return c;
}

/* The pair whose merged run holds element i of n. Each run has `run` elements, the last ones maybe
   fewer. span is 2 * run - 1, and pairs start at multiples of span + 1. */
INLINE pair_t find_pair(array_t a, array_t b, uint i, uint n, uint run, uint span)
{
    const uint start = i & ~span, size = start < n ? min(n - start - 1, span) + 1 : 0,
               na = min(size, run);
    const pair_t p = { a, b, start, start, na, CLSORT_TWO_ARRAYS ? start : start + run, size - na };
    return p;
}

/* 1 if element y of the pair's second run comes strictly before element x of its first run. */
INLINE uint second_first(pair_t p, uint x, uint y, codec_t c)
{
#if CLSORT_LANES == 1
    return comes_before(load_whole_item(p.b, c, p.first_b + y),
                        load_whole_item(p.a, c, p.first_a + x), c);
#else
    const code_t key_x = encode((codes_t)*key_place(p.a, p.first_a + x), c).s0,
                 key_y = encode((codes_t)*key_place(p.b, p.first_b + y), c).s0;
    uint word_x[CLSORT_WORDS_OR_1], word_y[CLSORT_WORDS_OR_1];
    load_words(p.a, p.first_a + x, word_x);
    load_words(p.b, p.first_b + y, word_y);
    return key_y < key_x || (CLSORT_BREAK_TIES_BY_INDEX && key_y == key_x && word_y[0] < word_x[0]);
#endif
}

/* The split of a pair at a diagonal: how many of the first `diagonal` elements of the merged run
   come from the first run. A step of the search has three probes, whose loads overlap. Source: O.
   Green, R. McColl, D. Bader, GPU merge path, 2012. */
INLINE uint split_pair(pair_t p, uint diagonal, codec_t c)
{
    uint low = diagonal > p.nb ? diagonal - p.nb : 0, high = min(diagonal, p.na);
    while (low < high) {
        const uint quarter = (high - low) >> 2;
        uint first[3];
        #pragma unroll
        for (uint k = 0; k < 3; k++) {
            const uint x = low + (k + 1) * quarter;
            first[k] = !second_first(p, x, diagonal - 1 - x, c);
        }
        high = !first[0]   ? low + quarter
               : !first[1] ? low + 2 * quarter
               : !first[2] ? low + 3 * quarter
                           : high;
        low = first[2]   ? low + 3 * quarter + 1
              : first[1] ? low + 2 * quarter + 1
              : first[0] ? low + quarter + 1
                         : low;
    }
    return low;
}

//---- merge: settled splits [MERGE RUNS.group SEGMENTS.group]
#if CLSORT_COMPARATOR
/* Slices first ... last - 1 of a merged run. low and high: the splits before slices first and
   last. */
typedef struct { uint first, last, low, high; } slices_t;

/* All slices of a merged run of `size` elements, of which the first run has `na`. */
INLINE slices_t all_slices(uint slice, uint size, uint na)
{
    const slices_t s = { 0, size > 0 ? (size - 1) / slice + 1 : 0, 0, na };
    return s;
}

INLINE uint middle_slice(slices_t s) { return s.first + (s.last - s.first) / 2; }

/* The half of the slices that holds slice `own`; a single slice stays. found: the split before the
   middle slice. It may be any number if the caller's expression is no order. So it is moved to the
   nearest number by which each half gets as many elements as it has places, from neither run fewer
   than 0; high - low is at most the size of the slices. Slices never overlap or leave elements out,
   since all of them are reached by halves. A correct split stays. */
INLINE slices_t halve_slices(slices_t s, uint own, uint found, uint slice, uint size)
{
    const uint middle = middle_slice(s), before = (middle - s.first) * slice,
               after = min((s.last - middle) * slice, size - middle * slice),
               least = max(s.low, sub_sat(s.high, after)),
               split = min(max(found, least), min(s.high, s.low + before));
    if (own >= middle) {
        s.first = middle;
        s.low = split;
    } else {
        s.last = middle;
        s.high = split;
    }
    return s;
}
#endif   /* CLSORT_COMPARATOR */

//---- merge: splits [MERGE]
#if CLSORT_TWO_ARRAYS
#define CLSORT_PAIR_ARGS \
    CLSORT_ARRAY_ARGS(a), CLSORT_ARRAY_ARGS(b), CLSORT_CODEC_ARGS, uint n, uint run, uint span, \
        uint slice
#define CLSORT_SECOND_ARRAY CLSORT_ARRAY(b)
#else
#define CLSORT_PAIR_ARGS \
    CLSORT_ARRAY_ARGS(a), CLSORT_CODEC_ARGS, uint n, uint run, uint span, uint slice
#define CLSORT_SECOND_ARRAY CLSORT_ARRAY(a)
#endif
#define CLSORT_SPLITS_ARGS global uchar *splits, ulong splits_at

#if !CLSORT_KERNEL_SUBSET
/* splits[i]: the split of a pair at element i * slice, the number of elements of the first run that
   come before this element in the merged run. Only one of 2^spread_log2 work-items searches for a
   split; the others end at once. This spreads the searches, which wait for memory, over all
   cores. */
CLSORT_KERNEL void clsort_merge_split(CLSORT_PAIR_ARGS, CLSORT_SPLITS_ARGS, uint spread_log2)
{
    const array_t array_a = CLSORT_ARRAY(a), array_b = CLSORT_SECOND_ARRAY;
    const codec_t codec = CLSORT_CODEC;
    const size_t i = get_global_id(0) >> spread_log2;
    n = CLSORT_COUNT(n);
    if (i * slice >= n || i << spread_log2 != get_global_id(0))
        return;
    const pair_t p = find_pair(array_a, array_b, (uint)i * slice, n, run, span);
    ((global uint *)(splits + splits_at))[i]
        = split_pair(p, (uint)i * slice - p.start, codec_of_pass(codec, 1));
}
#endif   /* !CLSORT_KERNEL_SUBSET */

#if CLSORT_COMPARATOR
/* As clsort_is_sorted of the utility kernels, by the caller's expression. */
CLSORT_KERNEL void clsort_merge_ordered(global const uchar *indices, ulong indices_at,
                                        global uchar *result, ulong result_at, CLSORT_CODEC_ARGS,
                                        uint n, uint by_index, uint strict)
{
    const codec_t codec = CLSORT_CODEC;
    global const clsort_record *record = (global const clsort_record *)codec.records;
    const uint i = (uint)get_global_id(0);
    n = CLSORT_COUNT(n);
    if (i >= n || n - i < 2)
        return;
    const uint x = ordered_place(indices + indices_at, by_index, i, n),
               y = ordered_place(indices + indices_at, by_index, i + 1, n);
    if (clsort_precedes(record[y], record[x])
        || (strict && y <= x && !clsort_precedes(record[x], record[y])))
        atomic_min((volatile global uint *)(result + result_at), i + 1);
}
#endif   /* CLSORT_COMPARATOR */

//---- merge: loads of runs [MERGE.group SEGMENTS.group]
/* Loads element i of a run. is_source: 1 if the run lies in the source of a sort. Then the
   element's number is `number`. */
INLINE item_t load_run_item(array_t a, codec_t c, uint i, uint number, const uint is_source)
{
    return is_source ? load_numbered(a, c, i, number) : load_whole_item(a, c, i);
}

/* Copies `count` elements to local memory: the pair's first run, then its second run. With
   is_source all come from the source of a sort, and `number` is the number of the first one. Called
   by tile kernels, by all work-items of a group, with local memory free. Needs a barrier after. */
INLINE void load_runs(local code_t *keys, local uint *words, pair_t p, uint count, codec_t c,
                      uint number, const uint is_source)
{
    const uint t = local_id();
    const array_t first = advance(p.a, (long)p.first_a + t),
                  second = advance(p.b, (long)p.first_b - p.na + t);
    if (count == CLSORT_TILE_ITEMS) {
        item_t v[CLSORT_ITEMS];
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++) {
            const array_t from = m * CLSORT_GROUP + t < p.na ? first : second;
            v[m] = load_run_item(from, c, m * CLSORT_GROUP, number + m * CLSORT_GROUP + t,
                                 is_source);
        }
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            put_item(keys, words, m * CLSORT_GROUP + t, v[m]);
    } else {
        #pragma unroll 1
        for (uint i = t; i < CLSORT_TILE_ITEMS; i += CLSORT_GROUP)
            put_item(keys, words, i,
                     i < count ? load_run_item(i < p.na ? first : second, c, i - t, number + i,
                                               is_source)
                               : top_item());
    }
}

//---- merge: work-group [MERGE.group ROW_TILES RUNS.group SEGMENTS.group]
/* Puts the elements v of all work-items into local memory, in the work-items' order. Called by tile
   kernels, by all work-items of a group; begins and ends with a barrier. */
INLINE void put_own_items(local code_t *keys, local uint *words, const item_t *v)
{
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        put_item(keys, words, local_id() * CLSORT_ITEMS + m, v[m]);
    local_barrier();
}

//---- merge: items are stored [MERGE.group RUNS.group SEGMENTS.group]
/* Writes the elements v of all work-items to local memory, in the work-items' order, and from there
   the first `count` of them to the target. Called by tile kernels, by all work-items of a group. It
   has the barriers that it needs: reads of local memory may be pending before. */
INLINE void store_items(const item_t *v, local code_t *keys, local uint *words,
                        array_t target, uint first, uint count, codec_t c)
{
    const uint t = local_id();
    put_own_items(keys, words, v);
    if (count == CLSORT_TILE_ITEMS) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            store_whole_item(target, c, first + m * CLSORT_GROUP + t,
                             get_item(keys, words, m * CLSORT_GROUP + t));
    } else {
        #pragma unroll 1
        for (uint i = t; i < count; i += CLSORT_GROUP)
            store_whole_item(target, c, first + i, get_item(keys, words, i));
    }
}

//---- merge: local splits [MERGE.group ROW_TILES RUNS.group SEGMENTS.group]
/* As split_pair, in local memory: the first run is elements [first, first + na), the second run
   [second, second + nb). */
INLINE uint split_items(local const code_t *keys, local const uint *words, uint first,
                        uint na, uint second, uint nb, uint diagonal, codec_t c)
{
    uint low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (comes_before(get_item(keys, words, second + diagonal - 1 - middle),
                         get_item(keys, words, first + middle), c))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

//---- merge: splits of a work-group [MERGE.group SEGMENTS.group]
#if CLSORT_GROUP >= 16
#define CLSORT_PROBES (CLSORT_GROUP / 2)
/* Finds both splits of a work-group's slice. Half of the work-items search for the first split, the
   others for the second. diagonal: the diagonal of the split that the work-item searches for. In a
   step each work-item probes one place of the range. The range then shrinks to the gap between two
   neighbouring probes.
   - ranges: low and high of the first split, then low and high of the second split. At the end the
     splits are ranges[0] and ranges[2]
   - widest: the same in all work-items; no range is wider. 0 if both ranges are empty

   Called by all work-items. Has the barriers that it needs. */
INLINE void search_splits(pair_t p, uint diagonal, local uint *ranges, uint widest,
                          codec_t c)
{
    const uint t = local_id(), probe = t % CLSORT_PROBES;
    local uint *range = ranges + t / CLSORT_PROBES * 2;
    local_barrier();
    for (uint width = widest; width > 0; width = (width - 1) / CLSORT_PROBES) {
        const uint low = range[0], high = range[1],
                   x = low + probe * ((high - low + CLSORT_PROBES - 1) / CLSORT_PROBES);
        local_barrier();
        if (x < high) {
            if (second_first(p, x, diagonal - 1 - x, c))
                atomic_min(&range[1], x);
            else
                atomic_max(&range[0], x + 1);
        }
        local_barrier();
    }
}
#endif   /* CLSORT_GROUP >= 16 */

//---- merge: local runs [MERGE.group RUNS.group SEGMENTS.group]
/* Merges two runs in local memory, [first, first + na) and [b_first, b_first + nb). The merged run
   begins where the first run begins. v becomes the elements of the merged run at the work-item's
   CLSORT_ITEMS places. A work-item reads up to CLSORT_ITEMS elements beyond the end of a run, or
   even of the tile, but never takes them. `first` is a multiple of CLSORT_ITEMS. Called by tile
   kernels, by all work-items of a group, after a barrier; leaves reads of local memory pending. */
INLINE void merge_items(item_t *v, local const code_t *keys, local const uint *words,
                        local uint *splits, uint first, uint na, uint b_first, uint nb,
                        codec_t c)
{
    const uint t = local_id(), diagonal = min(t * CLSORT_ITEMS - first, na + nb);
    uint split = split_items(keys, words, first, na, b_first, nb, diagonal, c), end_a = first + na,
         end_b = b_first + nb;
#if CLSORT_COMPARATOR
    const uint first_item = first / CLSORT_ITEMS;
    slices_t s = all_slices(CLSORT_ITEMS, na + nb, na);
    splits[t] = split;
    local_barrier();
    for (uint width = CLSORT_GROUP; width > 1; width /= 2)
        s = halve_slices(s, t - first_item, splits[first_item + middle_slice(s)], CLSORT_ITEMS,
                         na + nb);
    split = t - first_item < s.last ? s.low : s.high;
    end_a = first + s.high;
    end_b = b_first + (min(diagonal + CLSORT_ITEMS, na + nb) - s.high);
#endif
    uint a = first + split, b = b_first + (diagonal - split);
    item_t x = get_item(keys, words, a), y = get_item(keys, words, b);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint second = b < end_b && (a >= end_a || comes_before(y, x, c));
        v[m] = second ? y : x;
        const uint next_place = second ? ++b : ++a;
        const item_t next_item = get_item(keys, words, next_place);
        x = second ? x : next_item;
        y = second ? next_item : y;
    }
}

//---- merge: registers [MERGE.group ROW_TILES SEGMENTS.group]
/* Puts two neighbours in order; equal ones stay. */
INLINE void order_neighbours(item_t *x, item_t *y, codec_t c)
{
    const item_t first = *x, second = *y;
    const uint swap = comes_before(second, first, c);
    *x = swap ? second : first;
    *y = swap ? first : second;
}

/* Sorts the elements in a work-item's registers. Bare keys take a bitonic network. With values,
   equal elements must keep their order, so they take odd-even transposition. It has as many steps
   as elements. */
INLINE void sort_items(item_t *v, codec_t c)
{
#if CLSORT_VALUE_BYTES == 0
    if (CLSORT_ITEMS_LOG2 > 0) window_steps(v, CLSORT_ITEMS_LOG2, 0, 0, 1);
    if (CLSORT_ITEMS_LOG2 > 1) window_steps(v, CLSORT_ITEMS_LOG2, 1, 0, 1);
    if (CLSORT_ITEMS_LOG2 > 2) window_steps(v, CLSORT_ITEMS_LOG2, 2, 0, 1);
    if (CLSORT_ITEMS_LOG2 > 3) window_steps(v, CLSORT_ITEMS_LOG2, 3, 0, 1);
    if (CLSORT_ITEMS_LOG2 > 4) window_steps(v, CLSORT_ITEMS_LOG2, 4, 0, 1);
#else
    #pragma unroll
    for (uint round = 0; round < CLSORT_ITEMS; round += 2) {
        #pragma unroll
        for (uint m = 0; m + 1 < CLSORT_ITEMS; m += 2)
            order_neighbours(&v[m], &v[m + 1], c);
        #pragma unroll
        for (uint m = 1; m + 1 < CLSORT_ITEMS; m += 2)
            order_neighbours(&v[m], &v[m + 1], c);
    }
#endif   /* CLSORT_VALUE_BYTES == 0 */
}

//---- merge: work-group tiles [MERGE.group SEGMENTS.group]
#if CLSORT_COMPARATOR
/* The split before a slice of the pair. Work-groups search for it at the same time. All of them get
   what the first one found, since the caller's expression may answer differently next time. */
INLINE uint agreed_split(pair_t p, uint diagonal, volatile global uint *word, codec_t c)
{
    const uint found = split_pair(p, diagonal, c),
               first = atomic_cmpxchg(word, CLSORT__NO_SPLIT, found);
    return first == CLSORT__NO_SPLIT ? found : first;
}

/* Finds both splits of a slice, as the function below does, by an expression that may be no order.
   The slice is reached by halving the slices of the pair. The splits between the halves are
   searched for at the same time. Called by all work-items of a group; ends with a barrier. */
INLINE uint2 find_splits(pair_t p, uint from, uint count, uint size, global uint *splits,
                         uint how, local uint *splits_here, codec_t c)
{
    const uint own = from / CLSORT_TILE_ITEMS;
    slices_t s = all_slices(CLSORT_TILE_ITEMS, size, p.na);
    uint halvings = 0;
    while ((s.last - 1) >> halvings)
        halvings++;
    for (uint done = 0; done < halvings; done += CLSORT_GROUP) {
        const uint t = local_id(), here = min(halvings - done, (uint)CLSORT_GROUP);
        slices_t part = s;
        for (uint k = 0; k < here; k++)   /* equally often in all work-items, for PoCL 3.1 */
            if (k < t)
                part = halve_slices(part, own, 0, CLSORT_TILE_ITEMS, size);
        const uint middle = middle_slice(part), slice = p.start / CLSORT_TILE_ITEMS + middle;
        if (t < here)
            splits_here[t] = how == CLSORT__SPLITS_STORED
                                 ? splits[slice]
                                 : agreed_split(p, middle * CLSORT_TILE_ITEMS,
                                                splits + 2 * (size_t)slice
                                                    + how / CLSORT__SPLITS_SECOND, c);
        local_barrier();
        for (uint k = 0; k < here; k++)
            s = halve_slices(s, own, splits_here[k], CLSORT_TILE_ITEMS, size);
        local_barrier();
    }
    return (uint2)(s.low, s.high);
}
#else
/* Finds both splits of a slice. The slice has `count` elements from diagonal `from` on, in a pair
   of `size` elements. how: SPLITS_STORED if another kernel has found the splits of all slices.
   Called by merge_tile, by all work-items of a group. Has the barriers that it needs; leaves reads
   of splits_here pending. */
INLINE uint2 find_splits(pair_t p, uint from, uint count, uint size, global uint *splits,
                         uint how, local uint *splits_here, codec_t c)
{
    const uint t = local_id(), diagonal = from + t * 2 / CLSORT_GROUP * count,
               is_stored = how == CLSORT__SPLITS_STORED;
    if (t < 2) {
        const uint own = from + t * count;
        const uint known = own >= size ? p.na
                           : is_stored ? splits[(p.start + from) / CLSORT_TILE_ITEMS + t]
                                       : 0;
        const uint searched = own < size && !is_stored;
#if CLSORT_GROUP >= 16
        splits_here[2 * t] = searched && own > p.nb ? own - p.nb : known;
        splits_here[2 * t + 1] = searched ? min(own, p.na) : known;
#else
        splits_here[2 * t] = searched ? split_pair(p, own, c) : known;
#endif
    }
#if CLSORT_GROUP >= 16
    search_splits(p, diagonal, splits_here, is_stored ? 0 : min(p.na, p.nb), c);
#else
    local_barrier();
#endif
    return (uint2)(splits_here[0], splits_here[2]);
}
#endif   /* CLSORT_COMPARATOR */

/* Sorts `count` elements, at most a tile, from `base` on. source and target may be the same array.
   number: the number of the first element. Each work-item sorts its elements in registers. Then the
   sorted runs of 2, 4, 8 ... work-items are merged in local memory. Called by tile kernels, by all
   work-items of a group, with local memory free; leaves reads of it pending. */
INLINE void sort_tile(array_t source, array_t target, uint base, uint count, uint number,
                      codec_t codec, codec_t stores, local code_t *keys, local uint *words,
                      local uint *splits)
{
    const uint t = local_id();
    const pair_t tile = { source, source, base, base, count, base, 0 };
    item_t v[CLSORT_ITEMS];
    load_runs(keys, words, tile, count, codec, number, 1);
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        v[m] = get_item(keys, words, t * CLSORT_ITEMS + m);
    sort_items(v, codec);
    #pragma unroll 1
    for (uint run = CLSORT_ITEMS; run < CLSORT_TILE_ITEMS; run *= 2) {
        const uint first = t * CLSORT_ITEMS & ~(2 * run - 1),
                   size = min(count - min(first, count), 2 * run), na = min(size, run);
        put_own_items(keys, words, v);
        merge_items(v, keys, words, splits, first, na, first + na, size - na, codec);
    }
    store_items(v, keys, words, target, base, count, stores);
}

/* Writes at most a tile of a pair's merged run, from element `base` on. The splits bound the tile's
   parts of both runs. Called by pass kernels, by all work-items of a group, with local memory free;
   leaves reads of it pending. */
INLINE void merge_tile(pair_t p, uint base, array_t target, global uint *splits, uint how,
                       codec_t stores, local code_t *keys, local uint *words,
                       local uint *splits_here)
{
    const uint from = base - p.start, size = p.na + p.nb,
               count = from < size ? min(size - from, (uint)CLSORT_TILE_ITEMS) : 0;
    const codec_t codec = codec_of_pass(stores, 1);
    item_t v[CLSORT_ITEMS];
    const uint2 both = find_splits(p, from, count, size, splits, how, splits_here, codec);
    /* even if the runs are not sorted, nothing outside is read */
    const uint a = both.s0, na = min(max(both.s1, a) - a, count);
    p.first_a += a;
    p.first_b += from - a;
    p.na = na;
    load_runs(keys, words, p, count, codec, 0, 0);
    local_barrier();
    merge_items(v, keys, words, splits_here, 0, na, na, count - na, codec);
    store_items(v, keys, words, target, base, count, stores);
}

//---- merge: work-group kernels [MERGE.group]
/* Sorts every tile of n elements, from source to target, which may be the same array. */
CLSORT_KERNEL void clsort_merge_tile(CLSORT_SORT_ARGS, uint n, uint slice, local code_t *keys,
                                     local uint *words, local uint *splits)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC, stores = codec_of_pass(codec, n > CLSORT_TILE_ITEMS);
    const uint base = (uint)get_group_id(0) << CLSORT_TILE_ITEMS_LOG2;
    n = CLSORT_COUNT(n);
    if (base >= n)
        return;
    sort_tile(source, target, base, min(n - base, (uint)CLSORT_TILE_ITEMS), base, codec, stores,
              keys, words, splits);
}

#if !CLSORT_KERNEL_SUBSET
/* Merges pairs of runs. Each work-group writes one slice, a tile of the target. Reads and writes
   each element once. Work-groups that agree on splits have two words for each slice: `how` says
   which one this pass fills, and it clears the other one for the next pass. */
CLSORT_KERNEL void clsort_merge_pass(CLSORT_PAIR_ARGS, CLSORT_ARRAY_ARGS(target),
                                     CLSORT_SPLITS_ARGS, uint how, local code_t *keys,
                                     local uint *words, local uint *splits_here)
{
    const array_t array_a = CLSORT_ARRAY(a), array_b = CLSORT_SECOND_ARRAY,
                  target = CLSORT_ARRAY(target);
    codec_t codec = CLSORT_CODEC;
    const uint group = (uint)get_group_id(0), base = group << CLSORT_TILE_ITEMS_LOG2;
    global uint *table = (global uint *)(splits + splits_at);
    codec = codec_of_pass(codec, span < n - 1);
    n = CLSORT_COUNT(n);
    if (base >= n)
        return;
#if CLSORT_COMPARATOR
    if (how != CLSORT__SPLITS_STORED && local_id() == 0)
        table[2 * (size_t)group + (how != CLSORT__SPLITS_SECOND)] = CLSORT__NO_SPLIT;
#endif
    merge_tile(find_pair(array_a, array_b, base, n, run, span), base, target, table, how, codec,
               keys, words, splits_here);
}
#endif   /* !CLSORT_KERNEL_SUBSET */

//---- merge: serial [MERGE.alone]
/* Sorts every tile of n elements. Each work-item sorts the tiles of one slice. */
CLSORT_KERNEL void clsort_merge_tile(CLSORT_SORT_ARGS, uint n, uint slice, local code_t *keys,
                                     local uint *words, local uint *splits)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const size_t start = get_global_id(0) * slice,
                 end = min(start + slice, (size_t)CLSORT_COUNT(n));
    for (size_t base = start; base < end; base += CLSORT_ITEMS)
        insertion_sort(source, target, (uint)base, (uint)min(end - base, (size_t)CLSORT_ITEMS),
                       codec);
}

//---- merge: slices serially [MERGE.alone SEGMENTS.alone SEGMENTS.lanes]
/* Merges elements [a, end_a) of the pair's first run and [b, end_b) of its second run into the
   target from `to` on. The inner loop takes as many steps as the shorter rest has elements. Neither
   run can end before the last of these steps, so they need no check. */
INLINE void merge_slice(pair_t p, uint a, uint end_a, uint b, uint end_b, array_t target,
                        uint to, codec_t c)
{
    while (a < end_a && b < end_b) {
        item_t x = load_whole_item(p.a, c, p.first_a + a),
               y = load_whole_item(p.b, c, p.first_b + b);
        for (uint steps = min(end_a - a, end_b - b); steps > 0; steps--) {
            const uint second = comes_before(y, x, c);
            store_whole_item(target, c, to++, second ? y : x);
            a += !second;
            b += second;
            if (steps > 1) {
                x = load_whole_item(p.a, c, p.first_a + a);
                y = load_whole_item(p.b, c, p.first_b + b);
            }
        }
    }
    for (; a < end_a; a++)
        store_whole_item(target, c, to++, load_whole_item(p.a, c, p.first_a + a));
    for (; b < end_b; b++)
        store_whole_item(target, c, to++, load_whole_item(p.b, c, p.first_b + b));
}

//---- merge: vectors [MERGE.vectors]
/* 1 if the first lane of x comes strictly before the first lane of y. */
INLINE uint lane_precedes(item_t x, item_t y)
{
    return x.key.s0 < y.key.s0
           || (CLSORT_BREAK_TIES_BY_INDEX && x.key.s0 == y.key.s0 && x.word[0].s0 < y.word[0].s0);
}

/* Loads 16 elements of a run, from element i on. Lanes beyond the run's end hold the top item. */
INLINE item_t load_run(array_t a, codec_t c, uint i, uint end)
{
    return i < end && end - i >= CLSORT_LANES ? load_whole_item(a, c, i) : load_item(a, c, i, end);
}

/* As the scalar merge_slice, but with 16 elements a step. A step holds 32 elements in two vectors
   and writes the smaller 16. The next 16 come from the run whose next element is smaller. So no
   element that is still in a run precedes a written one. All elements must differ, except bare
   keys: with values, ties are broken by index. Source: H. Inoue et al., AA-sort, 2007. */
INLINE void merge_slice(pair_t p, uint a, uint end_a, uint b, uint end_b, array_t target,
                        uint to, codec_t c)
{
    const uint end = to + (end_a - a) + (end_b - b);
    item_t v[2], x = load_run(p.a, c, p.first_a + a, p.first_a + end_a),
                y = load_run(p.b, c, p.first_b + b, p.first_b + end_b);
    v[0] = x;
    a = min(end_a - a, (uint)CLSORT_LANES) + a;
    x = load_run(p.a, c, p.first_a + a, p.first_a + end_a);
    for (; to < end; to += min(end - to, (uint)CLSORT_LANES)) {
        if (lane_precedes(y, x)) {
            v[1] = y;
            b = min(end_b - b, (uint)CLSORT_LANES) + b;
            y = load_run(p.b, c, p.first_b + b, p.first_b + end_b);
        } else {
            v[1] = x;
            a = min(end_a - a, (uint)CLSORT_LANES) + a;
            x = load_run(p.a, c, p.first_a + a, p.first_a + end_a);
        }
        CLSORT_REVERSE(v[1]);
        order_items(&v[0], &v[1]);
        lane_steps(v, 2, 32);
        if (end - to >= CLSORT_LANES)
            store_whole_item(target, c, to, v[0]);
        else
            store_item(target, c, to, end, v[0]);
        v[0] = v[1];
    }
}

//---- merge: serial pass [MERGE.alone MERGE.vectors]
#if !CLSORT_KERNEL_SUBSET
/* Finds both splits of a slice, elements from ... to - 1 of the pair's merged run. split: of each
   slice of the pair, if another kernel has found them. A comparator's are settled. */
INLINE uint2 slice_splits(pair_t p, uint from, uint to, uint slice, global const uint *split,
                          uint how, codec_t c)
{
    const uint size = p.na + p.nb, own = from / slice, is_stored = how == CLSORT__SPLITS_STORED;
#if CLSORT_COMPARATOR
    slices_t s = all_slices(slice, size, p.na);
    while (s.last - s.first > 1)
        s = halve_slices(s, own, split[middle_slice(s)], slice, size);
    return (uint2)(s.low, s.high);
#else
    return (uint2)(from == 0 ? 0 : is_stored ? split[own] : split_pair(p, from, c),
                   to == size ? p.na : is_stored ? split[own + 1] : split_pair(p, to, c));
#endif
}

/* Merges pairs of runs. Each work-item writes one slice, which may hold many pairs or a part of
   one. */
CLSORT_KERNEL void clsort_merge_pass(CLSORT_PAIR_ARGS, CLSORT_ARRAY_ARGS(target),
                                     CLSORT_SPLITS_ARGS, uint how, local code_t *keys,
                                     local uint *words, local uint *splits_here)
{
    const array_t array_a = CLSORT_ARRAY(a), array_b = CLSORT_SECOND_ARRAY,
                  target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const size_t i = get_global_id(0);
    n = CLSORT_COUNT(n);
    if (i * slice >= n)
        return;
    const uint end = (uint)min((size_t)n, (i + 1) * slice);
    for (uint begin = (uint)i * slice; begin < end;) {
        const pair_t p = find_pair(array_a, array_b, begin, n, run, span);
        const uint from = begin - p.start, to = min(end - p.start, p.na + p.nb);
        const uint2 both = slice_splits(p, from, to, slice,
                                        (global const uint *)(splits + splits_at) + p.start / slice,
                                        how, codec);
        merge_slice(p, both.s0, both.s1, from - both.s0, to - both.s1, target, begin, codec);
        begin = p.start + to;
    }
}
#endif   /* !CLSORT_KERNEL_SUBSET */

//---- merge: published [PUBLISHED_MERGE]
/* Bainville's local merge: each work-group sorts a block of one element per work-item, by merging
   runs of 1, 2, 4 ... elements. An element's place in the merged run is its place in its own run
   plus its rank: the number of elements of the sibling run that precede it. Equal elements keep
   their order, so all places differ. The rank is 0 to `run`. That is one value more than `run`, so
   the binary search for it takes one probe more than log2 of `run`. */
CLSORT_KERNEL void clsort_merge_local(CLSORT_SORT_ARGS, uint n, local code_t *keys,
                                      local uint *words)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const uint i = (uint)get_global_id(0);
    item_t r = load_item(source, codec, i, n);
#if CLSORT_SHARE_LOG2 > 0
    const uint t = local_id();
    for (uint run = 1; run < CLSORT_GROUP; run *= 2) {
        const uint sibling = (t & ~(run - 1)) ^ run, is_second = t & run ? 1 : 0;
        uint rank = 0;
        put_item(keys, words, t, r);
        local_barrier();
        for (uint step = run; step > 0; step /= 2)
            if (rank + step <= run) {
                const item_t other = get_item(keys, words, sibling + rank + step - 1);
                rank += is_second ? (comes_before(r, other, codec) ? 0 : step)
                                  : (comes_before(other, r, codec) ? step : 0);
            }
        local_barrier();
        put_item(keys, words, (t & ~(2 * run - 1)) + (t & (run - 1)) + rank, r);
        local_barrier();
        r = get_item(keys, words, t);
    }
#endif   /* CLSORT_SHARE_LOG2 > 0 */
    store_item(target, codec, i, n, r);
}

//---- runs [RUNS]
/* MERGE OF MANY RUNS, up to CLSORT__MOST_RUNS of them. Elements are ordered by code, then by the
   number of their run, then by their place in the run. So no two elements are equal. Three
   launches:

     sample   one element in 2^step_log2 of each run is a sample. For each sample and each run a
              work-item counts the run's elements that come before the sample. The sum of the
              counts of all runs is the sample's rank: its place in the merged run
     split    the merged run is cut into tiles. The split of a tile has a number for each run: how
              many of its elements come before the tile. The nearest samples before and after the
              tile's begin bound the search for a split. Each step then narrows the range of codes
              between the bounds. The search ends when all elements between the bounds are equal.
              For work-groups it also ends when a bound is at most `slack` elements off
     pass     writes the tiles. A tile has a share of each run, the elements between two splits.
              Equal bare keys look the same, so tiles of bare keys are sorted as buckets:
              "buckets: runs". Other work-groups merge shares in local memory: first pairs of
              shares, then pairs of the results, and so on. On CPUs a tree of losers merges all
              shares of a tile at once

   A merge in pairs reads and writes all elements log2(runs) times, this pass once. On an H200, for
   2^26 u32 in 16 runs, the three launches take 0.03, 0.04 and 0.28 ms. Sources: P. Varman et al.,
   Merging multiple lists on hierarchical-memory multiprocessors, 1991, for the search by ranks; O.
   Green et al., GPU merge path, 2012, for the levels in local memory; D. Knuth, The Art of Computer
   Programming 3, 5.4.1, for the trees of CPUs. */
/* Expands X(name, i) for each run; i is a hexadecimal digit. */
#define CLSORT_EACH_RUN(X, name) \
    X(name, 0) X(name, 1) X(name, 2) X(name, 3) X(name, 4) X(name, 5) X(name, 6) X(name, 7) \
        X(name, 8) X(name, 9) X(name, a) X(name, b) X(name, c) X(name, d) X(name, e) X(name, f)
/* A run's buffer as an argument, with a comma behind. */
#define CLSORT_RUN_BUFFER(name, i) global uchar *name##i,
#if CLSORT_VALUE_BYTES == 0
#define CLSORT_RUNS_ARGS \
    CLSORT_EACH_RUN(CLSORT_RUN_BUFFER, keys_of_) ulong16 keys_at, CLSORT_CODEC_ARGS, uint16 counts
#define CLSORT_VALUES_OF(i) keys_of_##i
#else
#define CLSORT_RUNS_ARGS \
    CLSORT_EACH_RUN(CLSORT_RUN_BUFFER, keys_of_) ulong16 keys_at, \
        CLSORT_EACH_RUN(CLSORT_RUN_BUFFER, values_of_) ulong16 values_at, CLSORT_CODEC_ARGS, \
        uint16 counts
#define CLSORT_VALUES_OF(i) values_of_##i + values_at.s##i
#endif
#define CLSORT_KEYS_OF(i) keys_of_##i + keys_at.s##i

//---- runs: of a work-item [RUNS.alone]
#define CLSORT_RUN_ARRAY(name, i) { CLSORT_KEYS_OF(i), CLSORT_VALUES_OF(i) },
#define CLSORT_RUN_COUNT(name, i) name.s##i,
#define CLSORT_RUNS \
    { { CLSORT_EACH_RUN(CLSORT_RUN_ARRAY, run) }, { CLSORT_EACH_RUN(CLSORT_RUN_COUNT, counts) } }
/* All runs. An empty run has the array of another run, because codes_up_to reads element 0 of every
   run, even of an empty one. */
typedef struct {
    array_t array[CLSORT__MOST_RUNS];
    uint count[CLSORT__MOST_RUNS];
} runs_t;

/* A split: of[k] is the number of elements of run k that come before some place of the merged
   run. */
typedef struct { uint of[CLSORT__MOST_RUNS]; } split_t;

INLINE uint sum_split(const split_t *s)
{
    uint sum = 0;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++)
        sum += s->of[k];
    return sum;
}

/* s->of[k]. It is found by comparisons, not by a subscript: so the array stays in registers. */
INLINE uint of_run(const split_t *s, uint k)
{
    uint number = 0;
    #pragma unroll
    for (uint i = 0; i < CLSORT__MOST_RUNS; i++)
        number = i == k ? s->of[i] : number;
    return number;
}

//---- runs: of a work-group [RUNS.group RUNS.buckets]
/* Declares the variable `name`: the run with number `number`, or run 0 if no run has it.
   Comparisons select the run among the kernel's arguments. With subscripts NVIDIA's compiler put
   all runs into each work-item's private memory, and a pass took 0.54 instead of 0.35 ms on an
   H200. */
typedef struct { array_t array; uint count; } run_t;
#define CLSORT_PICK_RUN(name, number) \
    const uint name##_number = number; \
    global uchar *name##_keys = CLSORT_KEYS_OF(0), *name##_values = CLSORT_VALUES_OF(0); \
    uint name##_count = counts.s0; \
    CLSORT_EACH_RUN(CLSORT_PICK_IF, name) \
    const run_t name = { { name##_keys, name##_values }, name##_count }
#define CLSORT_PICK_IF(name, i) \
    name##_keys = name##_number == 0x##i ? CLSORT_KEYS_OF(i) : name##_keys; \
    name##_values = name##_number == 0x##i ? CLSORT_VALUES_OF(i) : name##_values; \
    name##_count = name##_number == 0x##i ? counts.s##i : name##_count;

//---- runs: samples [RUNS]
/* Counts elements among the first `size` of a run, by a binary search. equal 0: elements with a
   smaller code than `code`; equal 1: also elements with this code. */
INLINE uint codes_before(array_t a, uint size, code_t code, uint equal, codec_t c)
{
    uint low = 0, high = size;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        const code_t x = code_at(a, middle, c);
        if (x < code || (equal && x == code))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of elements of a run in a tile. begin, end: the run's numbers in the splits of this
   tile and of the next one. left: the number of elements that the tile has room for; the result is
   no more. If runs are not sorted, begin and end may be any numbers up to the run's size, and end
   may be less than begin. */
INLINE uint run_share(uint begin, uint end, uint left)
{
    return min(max(begin, end) - begin, left);
}

//---- runs: sample kernel [RUNS.alone]
/* Writes the table of samples. Word k of row s is the number of elements of run k that come before
   sample s. Samples are numbered run after run. Each work-item counts the elements of one run
   before one sample. */
CLSORT_KERNEL void clsort_runs_sample(CLSORT_RUNS_ARGS, global uchar *samples, ulong samples_at,
                                      uint step_log2)
{
    const runs_t r = CLSORT_RUNS;
    const codec_t codec = CLSORT_CODEC;
    const uint k = (uint)(get_global_id(0) % CLSORT__MOST_RUNS);
    ulong sample = get_global_id(0) / CLSORT__MOST_RUNS;
    uint own = CLSORT__MOST_RUNS, size = 0;
    array_t from = r.array[0], in = from;
    #pragma unroll
    for (uint i = 0; i < CLSORT__MOST_RUNS; i++) {
        const uint number = r.count[i] >> step_log2, missing = own == CLSORT__MOST_RUNS,
                   here = missing && sample < number;
        own = here ? i : own;
        from.keys = here ? r.array[i].keys : from.keys;
        sample -= missing && !here ? number : 0;
        in.keys = i == k ? r.array[i].keys : in.keys;
        size = i == k ? r.count[i] : size;
    }
    if (own == CLSORT__MOST_RUNS)
        return;
    const uint place = (uint)(((sample + 1) << step_log2) - 1);
    ((global uint *)(samples + samples_at))[get_global_id(0)]
        = k == own ? place : codes_before(in, size, code_at(from, place, codec), k < own, codec);
}

//---- runs: splits [RUNS.alone]
/* Bounds of the split at a place of the merged run. low.of[k] to high.of[k] elements of run k come
   before the place. The code of the element at the place is `first` to `last`. */
typedef struct {
    split_t low, high;
    code_t first, last;
} bracket_t;

INLINE split_t split_of_sample(global const uint *samples, uint s)
{
    split_t row;
    vstore16(vload16(s, samples), 0, row.of);
    return row;
}

/* The number of samples of one run whose rank is at most `rank`, by a binary search from `low` to
   `high`. before: the number of samples of earlier runs. If runs are not sorted, low may exceed
   high; then the result is low. */
INLINE uint samples_up_to(global const uint *samples, uint before, uint low, uint high,
                          uint rank)
{
    while (low < high) {
        const uint middle = (low + high) / 2;
        const split_t row = split_of_sample(samples, before + middle);
        if (sum_split(&row) <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The widest bracket: every place lies in it. */
INLINE bracket_t whole_runs(const runs_t *r)
{
    bracket_t b;
    b.first = 0;
    b.last = CLSORT_TOP_CODE;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
        b.low.of[k] = 0;
        b.high.of[k] = r->count[k];
    }
    return b;
}

/* The bracket of element `rank` of the merged run: its bounds are the last sample up to this
   element and the first sample after it. The samples of one run have ascending ranks. So a binary
   search in each run finds that run's last sample up to the element, and its first sample after it.
   Of all runs' samples the nearest two remain. Only samples inside the bracket found so far are
   searched, so later runs have few left, or none. */
INLINE bracket_t find_bracket(const runs_t *r, global const uint *samples, uint step_log2,
                              uint rank, uint n, codec_t c)
{
    bracket_t b = whole_runs(r);
    uint before = 0, lower = 0, upper = n;
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
        const uint number = r->count[k] >> step_log2, least = of_run(&b.low, k) >> step_log2,
                   most = of_run(&b.high, k) >> step_log2,
                   low = samples_up_to(samples, before, least, most, rank);
        if (low > least) {
            const split_t last = split_of_sample(samples, before + low - 1);
            if (sum_split(&last) >= lower) {
                lower = sum_split(&last);
                b.low = last;
                b.first = code_at(r->array[k], (low << step_log2) - 1, c);
            }
        }
        if (low < most) {
            const split_t next = split_of_sample(samples, before + low);
            if (sum_split(&next) < upper) {
                upper = sum_split(&next);
                b.high = next;
                b.last = code_at(r->array[k], ((low + 1) << step_log2) - 1, c);
            }
        }
        before += number;
    }
    return b;
}

/* For each run, the number of elements whose code is at most `code`: a binary search between the
   bounds of bracket b. A step probes all runs, so that their loads do not wait for each other. */
INLINE split_t codes_up_to(const runs_t *r, const bracket_t *b, code_t code, codec_t c)
{
    split_t low = b->low, high = b->high;
    for (uint more = 1; more;) {
        code_t x[CLSORT__MOST_RUNS];
        uint middle[CLSORT__MOST_RUNS];
        more = 0;
        #pragma unroll
        for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
            const uint open = low.of[k] < high.of[k];
            middle[k] = open ? low.of[k] + (high.of[k] - low.of[k]) / 2 : 0;
            x[k] = code_at(r->array[k], middle[k], c);
        }
        #pragma unroll
        for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
            const uint open = low.of[k] < high.of[k], after = open && x[k] <= code;
            low.of[k] = after ? middle[k] + 1 : low.of[k];
            high.of[k] = open && !after ? middle[k] : high.of[k];
            more |= low.of[k] < high.of[k];
        }
    }
    return low;
}

//---- runs: split kernel [RUNS.alone]
/* Halves the range of codes of a bracket, until it has at most one code or its lower bounds add up
   to `rank`. */
INLINE void narrow_bracket(const runs_t *r, bracket_t *b, uint rank, codec_t c)
{
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++)   /* runs may not be sorted */
        b->high.of[k] = max(b->low.of[k], b->high.of[k]);
    while (b->first < b->last && sum_split(&b->low) < rank) {
        const code_t middle = (code_t)(b->first + (code_t)(b->last - b->first) / 2);
        const split_t found = codes_up_to(r, b, middle, c);
        if (sum_split(&found) > rank) {
            b->high = found;
            b->last = middle;
        } else {
            b->low = found;
            b->first = (code_t)(middle + 1);
        }
    }
}

/* The split at element `rank`. The elements between the bounds of bracket b all have one code. So
   they follow each other in the order of their runs: elements are added to the lower bounds, run by
   run, until the sum is `rank`. */
INLINE split_t end_bracket(const bracket_t *b, uint rank)
{
    split_t place = b->low;
    const uint known = sum_split(&place);
    uint rest = known < rank ? rank - known : 0;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
        const uint more = min(rest, b->high.of[k] - b->low.of[k]);
        place.of[k] += more;
        rest -= more;
    }
    return place;
}

/* Writes the table of splits. Word k of row i is the number of elements of run k before tile i. Row
   `tiles` stands for the end of the merged run. */
CLSORT_KERNEL void clsort_runs_split(CLSORT_RUNS_ARGS, global uchar *samples, ulong samples_at,
                                     global uchar *splits, ulong splits_at, uint step_log2, uint n,
                                     uint tile, uint tiles)
{
    const runs_t r = CLSORT_RUNS;
    const codec_t codec = CLSORT_CODEC;
    const size_t i = get_global_id(0);
    if (i > tiles)
        return;
    const uint rank = (uint)min(i * tile, (size_t)n);
    bracket_t b = find_bracket(&r, (global const uint *)(samples + samples_at), step_log2, rank, n,
                               codec);
    narrow_bracket(&r, &b, rank, codec);
    const split_t place = end_bracket(&b, rank);
    vstore16(vload16(0, place.of), i, (global uint *)(splits + splits_at));
}

//---- runs: lanes [RUNS.group RUNS.buckets]
/* LANES. Where work-items run side by side, 16 of them search together for one sample or one place
   of the merged run. Each of the 16 is a lane; lane k searches run k. The lanes add their counts up
   through local memory.

   A sample of run k lies CLSORT__RUNS_SHIFT(k, step_log2) elements before a multiple of
   2^step_log2. The shifts of any two runs differ. So if codes are spread alike in all runs, the
   samples are spread evenly over the merged run. The table of samples has a row for each sample, in
   the merged order. Word k of a row is the number of elements of runs 0 ... k before the sample. So
   the last word is the sample's rank.

   A place with c elements of run k before it has (c + shift of run k) >> step_log2 samples of run k
   before it. The sum over all runs is the number of samples before the place. If only the rank of
   the place is known, let q be (rank + sum of all shifts) >> step_log2. The number of samples
   before the place is then q - 15 to q, because 16 quotients are rounded down instead of one. */
#define CLSORT_PLACES (CLSORT_GROUP / CLSORT__MOST_RUNS)
INLINE uint lane_run(void)
{
    return local_id() % CLSORT__MOST_RUNS;
}

/* The number of samples of run k among the run's first `count` elements. */
INLINE uint samples_among(uint count, uint k, uint step_log2)
{
    return (uint)(((ulong)count + CLSORT__RUNS_SHIFT(k, step_log2)) >> step_log2);
}

/* The sum of the words of lanes 0 ... lanes - 1, among the 16 work-items that search together.
   words: a word for each work-item of the group. */
INLINE uint sum_lanes(local const uint *words, uint lanes)
{
    local const uint *first = words + (local_id() - lane_run());
    uint sum = 0;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++)
        sum += k < lanes ? first[k] : 0;
    return sum;
}

/* The number of elements of run `in` that come before element `place` of run `from`. k, own: the
   numbers of runs `in` and `from`. */
INLINE uint count_before(run_t in, uint k, run_t from, uint own, uint place, codec_t c)
{
    return k == own ? place : codes_before(in.array, in.count, code_at(from.array, place, c),
                                           k < own, c);
}

/* Finds the run that a sample belongs to; expanded for each run in turn. Before the first run,
   `sample` is a number among the samples of all runs, and own is CLSORT__MOST_RUNS. After the last
   run, own is the number of the sample's run, and `sample` is its number in that run. If there is
   no such sample, own stays CLSORT__MOST_RUNS. */
#define CLSORT_FIND_SAMPLE(sample, i) \
    { \
        const uint here = samples_among(counts.s##i, 0x##i, step_log2), \
                   passes = own == CLSORT__MOST_RUNS && sample >= here; \
        own = own == CLSORT__MOST_RUNS && !passes ? 0x##i : own; \
        sample -= passes ? here : 0; \
    }

/* Writes the table of samples; 16 work-items for each sample. number: the number of samples. words:
   CLSORT__LANE_WORDS(CLSORT_GROUP) words, as for clsort_runs_split. */
CLSORT_KERNEL void clsort_runs_sample(CLSORT_RUNS_ARGS, global uchar *samples, ulong samples_at,
                                      uint step_log2, uint number, local uint *words)
{
    const codec_t codec = CLSORT_CODEC;
    const uint t = local_id(), k = lane_run();
    ulong sample = get_global_id(0) / CLSORT__MOST_RUNS;
    uint own = CLSORT__MOST_RUNS, count = 0;
    CLSORT_EACH_RUN(CLSORT_FIND_SAMPLE, sample)
    CLSORT_PICK_RUN(from, own);
    CLSORT_PICK_RUN(in, k);
    const uint exists = own < CLSORT__MOST_RUNS;
    if (exists)
        count = count_before(in, k, from, own,
                             (uint)((sample + 1) << step_log2) - 1
                                 - CLSORT__RUNS_SHIFT(own, step_log2),
                             codec);
    words[t] = count;
    words[CLSORT_GROUP + t] = samples_among(count, k, step_log2);
    local_barrier();
    const uint place = sum_lanes(words + CLSORT_GROUP, CLSORT__MOST_RUNS);
    if (exists && place < number)   /* sorted runs always pass */
        ((global uint *)(samples + samples_at))[(size_t)place * CLSORT__MOST_RUNS + k]
            = sum_lanes(words, k + 1);
}

//---- runs: places [RUNS.group RUNS.buckets]
/* A lane's search, in its own run, for the split at element `rank` of the merged run.
   - run, size: the lane's run and the number of its elements
   - low, high: at least `low` and at most `high` elements of this run come before the place
   - low_sum, high_sum: the sums of `low` and of `high` over the 16 lanes
   - first, last: all elements between the bounds, in any run, have codes first to last */
typedef struct {
    array_t run;
    uint size, low, high, rank, low_sum, high_sum;
    code_t first, last;
} place_search_t;

/* The number of elements of the lane's run that come before sample s. */
INLINE uint sample_count(global const uint *samples, uint s)
{
    global const uint *row = samples + (size_t)s * CLSORT__MOST_RUNS;
    return row[lane_run()] - (lane_run() ? row[lane_run() - 1] : 0);
}

/* Bounds a place by the last sample up to it and the first sample after it. From p->rank follows a
   number `last`: samples 0 ... last - 16 come before the place, samples from last + 1 on come after
   it (see LANES). Each of the 16 lanes compares the rank of one of the 16 samples between with
   p->rank. number: the number of samples. Called by all work-items with the words free; needs a
   barrier after. */
INLINE void bound_place(place_search_t *p, global const uint *samples, uint number,
                        uint step_log2, local uint *words)
{
    const uint last = (uint)(((ulong)p->rank + CLSORT__RUNS_SHIFTS(step_log2)) >> step_log2),
               back = CLSORT__MOST_RUNS - 1 - lane_run(), s = last - min(last, back),
               exists = back <= last && s < number;
    words[local_id()]
        = exists && samples[(size_t)s * CLSORT__MOST_RUNS + CLSORT__MOST_RUNS - 1] <= p->rank;
    local_barrier();
    const uint before = min(last - min(last, CLSORT__MOST_RUNS - 1u), number)
                        + sum_lanes(words, CLSORT__MOST_RUNS);
    p->low = before ? min(sample_count(samples, before - 1), p->size) : 0;
    p->high = before < number ? min(sample_count(samples, before), p->size) : p->size;
    p->high = max(p->low, p->high);   /* runs may not be sorted */
}

/* Sets the sums and the codes of p from the bounds of all 16 lanes. Called by all work-items with
   words and codes free; needs a barrier after. */
INLINE void measure_place(place_search_t *p, codec_t c, local uint *words,
                          local code_t *codes)
{
    const uint t = local_id(), open = p->low < p->high;
    words[t] = p->low;
    words[CLSORT_GROUP + t] = p->high;
    codes[t] = open ? code_at(p->run, p->low, c) : CLSORT_TOP_CODE;
    codes[CLSORT_GROUP + t] = open ? code_at(p->run, p->high - 1, c) : 0;
    local_barrier();
    p->low_sum = sum_lanes(words, CLSORT__MOST_RUNS);
    p->high_sum = sum_lanes(words + CLSORT_GROUP, CLSORT__MOST_RUNS);
    p->first = CLSORT_TOP_CODE;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
        p->first = min(p->first, codes[t - lane_run() + k]);
        p->last = max(p->last, codes[CLSORT_GROUP + t - lane_run() + k]);
    }
}

//---- runs: steps of places [RUNS.group RUNS.buckets]
/* 1 if the search is over: low_sum or high_sum is within `slack` of the rank, or at most one code
   lies between the bounds. */
INLINE uint is_near(const place_search_t *p, uint slack)
{
    return p->rank - p->low_sum <= slack || p->high_sum - p->rank <= slack || p->first >= p->last;
}

/* Chooses where this step cuts the range of codes, as a fraction in units of 2^-14. Normally it is
   the fraction of the elements between the bounds that come before the place: a good guess if codes
   are spread evenly. Every third step cuts at one half, so the search ends for any codes. */
INLINE uint choose_part(const place_search_t *p, uint step)
{
    const uint size = p->high_sum - p->low_sum, before = p->rank - p->low_sum;
    return step % 3 == 2 || before >= size ? 1 << 13 : (uint)(((ulong)before << 14) / size);
}

/* The code at fraction `part` of the range p->first ... p->last. It is less than p->last, so each
   step narrows the range. */
INLINE code_t code_between(const place_search_t *p, uint part)
{
    const ulong span = (code_t)(p->last - p->first);
    return (code_t)(p->first + (code_t)((span >> 14) * part + ((span & 0x3FFF) * part >> 14)));
}

/* The number of elements of the lane's run whose code is at most `code`, by a binary search. The
   first two probes lie on both sides of a guess, which takes codes as spread evenly. If the guess
   is good, all later probes lie between these two and read few lines of memory. */
INLINE uint lane_codes_up_to(const place_search_t *p, code_t code, uint part, codec_t c)
{
    const uint size = p->high - p->low, width = size / 32 + 4,
               guess = p->low + (uint)((ulong)size * part >> 14);
    uint low = p->low, high = p->high;
    for (uint probe = 0; low < high; probe++) {
        const uint aim = probe == 0   ? guess + width
                         : probe == 1 ? guess - min(guess, width)
                                      : low + (high - low) / 2,
                   middle = min(max(aim, low), high - 1),
                   before = code_at(p->run, middle, c) <= code;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* One step of all searches of a work-group. The lanes of a place count the elements up to a code.
   If their sum is above the rank, the counts become the upper bounds, otherwise the lower bounds.
   Returns 1 if a search was not over before this step. Steps use the two halves of `words` in turn.
   Called by all work-items with the half free; has a barrier. */
INLINE uint step_place(place_search_t *p, uint step, uint slack, codec_t c,
                       local uint *words)
{
    local uint *own = words + step % 2 * (CLSORT_GROUP + CLSORT_PLACES);
    const uint t = local_id(), open = !is_near(p, slack);
    const uint part = choose_part(p, step);
    const code_t pivot = code_between(p, part);
    const uint found = open ? lane_codes_up_to(p, pivot, part, c) : p->low;
    uint more = 0;
    own[t] = found;
    if (lane_run() == 0)
        own[CLSORT_GROUP + t / CLSORT__MOST_RUNS] = open;
    local_barrier();
    const uint sum = sum_lanes(own, CLSORT__MOST_RUNS), above = sum > p->rank;
    for (uint i = 0; i < CLSORT_PLACES; i++)
        more |= own[CLSORT_GROUP + i];
    p->high = open && above ? found : p->high;
    p->high_sum = open && above ? sum : p->high_sum;
    p->last = open && above ? pivot : p->last;
    p->low = open && !above ? found : p->low;
    p->low_sum = open && !above ? sum : p->low_sum;
    p->first = open && !above ? (code_t)(pivot + 1) : p->first;
    return more;
}

//---- runs: ends of places [RUNS.group RUNS.buckets]
/* The lane's word of the split, when the search is over. If the lower or the upper bounds add up to
   the rank, or to within `slack` of it, they are the split. Otherwise all elements between the
   bounds are equal, and elements of earlier runs come first. Called by all work-items with the
   words free. */
INLINE uint end_place(const place_search_t *p, uint slack, local uint *words)
{
    const uint size = p->high - p->low, missing = p->rank - min(p->low_sum, p->rank);
    words[local_id()] = size;
    local_barrier();
    const uint before = sum_lanes(words, lane_run());
    return p->high_sum == p->rank            ? p->high
           : p->rank - p->low_sum <= slack  ? p->low
           : p->high_sum - p->rank <= slack ? p->high
                                            : p->low + min(missing - min(before, missing), size);
}

/* Writes the table of splits. Word k of row i is the number of elements of run k before tile i. Row
   `tiles` is for the end. The words of a row add up to i * tile, or to up to `slack` more or less.
   With this freedom most searches end after a step or two. number: the number of samples. space:
   CLSORT__LANE_WORDS(CLSORT_GROUP) words, and 2 * CLSORT_GROUP codes. */
CLSORT_KERNEL void clsort_runs_split(CLSORT_RUNS_ARGS, global uchar *samples, ulong samples_at,
                                     global uchar *splits, ulong splits_at, uint step_log2, uint n,
                                     uint tile, uint tiles, uint number, uint slack,
                                     local ulong *space)
{
    const codec_t codec = CLSORT_CODEC;
    local uint *words = (local uint *)space;
    local code_t *codes = (local code_t *)(words + CLSORT__LANE_WORDS(CLSORT_GROUP));
    const size_t i = get_global_id(0) / CLSORT__MOST_RUNS;
    CLSORT_PICK_RUN(run, lane_run());
    place_search_t p = { run.array, run.count, 0, 0, (uint)min(i * tile, (size_t)n), 0, 0, 0, 0 };
    bound_place(&p, (global const uint *)(samples + samples_at), number, step_log2, words);
    local_barrier();
    measure_place(&p, codec, words, codes);
    local_barrier();
    for (uint step = 0, more = 1; more; step++)
        more = step_place(&p, step, slack, codec, words);
    local_barrier();
    const uint count = end_place(&p, slack, words);
    if (i <= tiles)
        ((global uint *)(splits + splits_at))[i * CLSORT__MOST_RUNS + lane_run()] = count;
}

//---- runs: a tile [RUNS.group RUNS.buckets]
/* A tile of the merged run: its begin and its size. Tile i begins at i * tile, or up to `slack`
   elements before or behind it. */
typedef struct { uint begin, size; } merged_tile_t;

/* The begin of tile i: the sum of its split. The sum is clamped to i * tile - slack ... i * tile +
   slack, because runs may not be sorted. */
INLINE uint tile_begin(local const uint *split, size_t i, uint tile, uint slack, uint n)
{
    const uint rank = (uint)min(i * tile, (size_t)n), least = rank - min(rank, slack);
    uint sum = 0;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++)
        sum += split[k];
    return min(max(sum, least), rank + min(n - rank, slack));
}

/* Copies the splits of the work-group's tile and of the next tile to local memory. Called by all
   work-items; ends with a barrier. */
INLINE merged_tile_t take_merged_tile(local uint *own, global const uchar *splits, uint tile,
                                      uint slack, uint n)
{
    global const uint *from = (global const uint *)splits;
    const size_t i = get_group_id(0);
    merged_tile_t m;
    if (local_id() < 2 * CLSORT__MOST_RUNS)
        own[local_id()] = from[i * CLSORT__MOST_RUNS + local_id()];
    local_barrier();
    m.begin = tile_begin(own, i, tile, slack, n);
    m.size = tile_begin(own + CLSORT__MOST_RUNS, i + 1, tile, slack, n) - m.begin;
    return m;
}

//---- runs: shares of a tile [RUNS.group]
/* The shares of a work-group's tile. Share k has the tile's elements of run k.
   - keys[k], values[k]: addresses of the first element of share k, in global memory
   - begins[k]: share k begins at slot begins[k] * CLSORT_ITEMS of local memory
   - sums[k]: the number of elements of shares 0 ... k - 1
   - splits: the split of the tile, then the split of the next tile
   - owners[t]: the share that slots t * CLSORT_ITEMS ... (t + 1) * CLSORT_ITEMS - 1 belong to */
typedef struct {
    local ulong *keys, *values;
    local uint *begins, *sums, *splits, *owners;
} shares_t;

INLINE shares_t make_shares(local ulong *space)
{
    local uint *words = (local uint *)(space + 2 * CLSORT__MOST_RUNS);
    const shares_t s = { space, space + CLSORT__MOST_RUNS, words, words + CLSORT__MOST_RUNS + 1,
                         words + 2 * (CLSORT__MOST_RUNS + 1),
                         words + 4 * CLSORT__MOST_RUNS + 2 };
    return s;
}

/* Finds the shares of a tile of up to `size` elements. run: for work-item t, run t. Called by all
   work-items of a group with the splits in s; needs a barrier after. */
INLINE void find_shares(shares_t s, array_t run, uint size)
{
    const uint t = local_id();
    uint slots = 0, sum = 0, owner = 0;
    for (uint k = 0; k < (t <= CLSORT__MOST_RUNS ? t : 0); k++) {
        const uint share = run_share(s.splits[k], s.splits[k + CLSORT__MOST_RUNS], size - sum);
        slots += (share + CLSORT_ITEMS - 1) / CLSORT_ITEMS;
        sum += share;
    }
    if (t <= CLSORT__MOST_RUNS) {
        s.begins[t] = slots;
        s.sums[t] = sum;
    }
    if (t < CLSORT__MOST_RUNS) {
        const array_t from = advance(run, s.splits[t]);
        s.keys[t] = (ulong)(size_t)from.keys;
        s.values[t] = (ulong)(size_t)from.values;
    }
    local_barrier();
    #pragma unroll
    for (uint k = 1; k < CLSORT__MOST_RUNS; k++)
        owner = s.begins[k] <= t ? k : owner;
    s.owners[t] = owner;
}

/* Loads the shares into their slots. Called by all work-items with a barrier since find_shares;
   needs a barrier after. */
INLINE void load_shares(local code_t *keys, local uint *words, shares_t s, codec_t c)
{
    const uint t = local_id();
    item_t v[CLSORT_ITEMS];
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint slot = m * CLSORT_GROUP + t, k = s.owners[slot / CLSORT_ITEMS],
                   i = slot - s.begins[k] * CLSORT_ITEMS;
        const array_t from = { (global uchar *)(size_t)s.keys[k],
                               (global uchar *)(size_t)s.values[k] };
        v[m] = load_item(from, c, i, s.sums[k + 1] - s.sums[k]);
    }
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        put_item(keys, words, m * CLSORT_GROUP + t, v[m]);
}

//---- runs: pass [RUNS.group]
/* Each work-group writes a tile. The first level merges shares 0 and 1, shares 2 and 3, and so on.
   Each further level merges pairs of results of the level before. A result begins at the slot where
   the first of its two inputs began. levels: log2 of the number of runs, rounded up. */
CLSORT_KERNEL void clsort_runs_pass(CLSORT_RUNS_ARGS, CLSORT_ARRAY_ARGS(target),
                                    global uchar *splits, ulong splits_at, uint n, uint tile,
                                    uint slack, uint levels, local ulong *space,
                                    local code_t *keys, local uint *words)
{
    CLSORT_PICK_RUN(own, local_id());
    const array_t target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const shares_t s = make_shares(space);
    const merged_tile_t merged = take_merged_tile(s.splits, splits + splits_at, tile, slack, n);
    const uint t = local_id();
    item_t v[CLSORT_ITEMS];
    find_shares(s, own.array, merged.size);
    local_barrier();
    load_shares(keys, words, s, codec);
    #pragma unroll 1
    for (uint level = 0; level < levels; level++) {
        const uint a = s.owners[t] >> (level + 1) << (level + 1), b = a + (1u << level),
                   end = a + (2u << level);
        local_barrier();
        merge_items(v, keys, words, &s.owners[0], s.begins[a] * CLSORT_ITEMS,
                    s.sums[b] - s.sums[a], s.begins[b] * CLSORT_ITEMS, s.sums[end] - s.sums[b],
                    codec);
        local_barrier();
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            put_item(keys, words, t * CLSORT_ITEMS + m, v[m]);
    }
    store_items(v, keys, words, target, merged.begin, s.sums[CLSORT__MOST_RUNS], codec);
}

//---- runs: players [RUNS.alone]
/* A player stands for the next element of a share. It has the element's code and, in lower bits,
   the number of its run. So elements with equal codes come in the order of their runs. The player
   of a share without further elements has the top code and a number above all runs: it comes
   last. */
#if CLSORT_KEY_BYTES < 8
typedef ulong player_t;
INLINE player_t make_player(code_t code, uint run)
{
    return (ulong)code << 5 | run;
}

INLINE uint player_run(player_t x) { return (uint)x & 15; }
INLINE uint player_first(player_t x, player_t y) { return x < y; }
#else
typedef struct { ulong code; uint run; } player_t;
INLINE player_t make_player(code_t code, uint run)
{
    const player_t x = { code, run };
    return x;
}

INLINE uint player_run(player_t x) { return x.run & 15; }
INLINE uint player_first(player_t x, player_t y)
{
    return x.code < y.code || (x.code == y.code && x.run < y.run);
}
#endif   /* CLSORT_KEY_BYTES < 8 */

//---- runs: trees [RUNS.alone]
/* A tree of losers over the shares of a tile.
   - next[k]: the next element of share k
   - end[k]: where share k ends
   - loser[i]: the loser of the match in node i, between the winners of nodes 2i and 2i + 1
   - best: the winner of all matches, which is the next element to write
   - to: the place where it goes */
typedef struct {
    uint next[CLSORT__MOST_RUNS], end[CLSORT__MOST_RUNS];
    player_t loser[CLSORT__MOST_RUNS], best;
    uint to;
} tree_t;

/* The player of the next element of share k, or of the share's end. */
INLINE player_t next_player(const runs_t *r, const tree_t *t, uint k, codec_t c)
{
    return t->next[k] < t->end[k]
               ? make_player(code_at(r->array[k], t->next[k], c), k)
               : make_player(CLSORT_TOP_CODE, CLSORT__MOST_RUNS + k);
}

/* Begins a tile of up to `size` elements, whose first element goes to place `to`. Returns the
   number of elements of all its shares. */
INLINE uint begin_tree(tree_t *t, const runs_t *r, uint leaves, global const uint *split,
                       uint size, uint to, codec_t c)
{
    player_t winner[2 * CLSORT__MOST_RUNS];
    uint sum = 0;
    t->to = to;
    for (uint k = 0; k < leaves; k++) {
        const uint share = run_share(split[k], split[k + CLSORT__MOST_RUNS], size - sum);
        t->next[k] = split[k];
        t->end[k] = split[k] + share;
        sum += share;
        winner[leaves + k] = next_player(r, t, k, c);
    }
    for (uint i = leaves - 1; i > 0; i--) {
        const player_t x = winner[2 * i], y = winner[2 * i + 1];
        const uint first = player_first(x, y);
        winner[i] = first ? x : y;
        t->loser[i] = first ? y : x;
    }
    t->best = winner[1];
    return sum;
}

/* Writes the best element. The next element of its share then plays each match from the leaf up to
   the root. The loser of a match stays in the node, the winner goes on. */
INLINE void play(tree_t *t, const runs_t *r, uint leaves, array_t target, codec_t c)
{
    const uint k = player_run(t->best);
    move_element(r->array[k], t->next[k]++, target, t->to++);
    player_t best = next_player(r, t, k, c);
    for (uint node = (leaves + k) / 2; node > 0; node /= 2) {
        const player_t other = t->loser[node];
        const uint first = player_first(best, other);
        t->loser[node] = first ? other : best;
        best = first ? best : other;
    }
    t->best = best;
}

//---- runs: serial pass [RUNS.alone]
/* Each work-item writes `tiles_each` tiles, and CLSORT_TREES of them at the same time. A match must
   wait for the match before it in the same tree. Matches of different trees overlap. Source: Knuth,
   The Art of Computer Programming 3, 5.4.1. */
#define CLSORT_TREES 2
CLSORT_KERNEL void clsort_runs_pass(CLSORT_RUNS_ARGS, CLSORT_ARRAY_ARGS(target),
                                    global uchar *splits, ulong splits_at, uint n, uint tile,
                                    uint levels, uint tiles_each)
{
    const runs_t r = CLSORT_RUNS;
    const array_t target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const uint leaves = 1u << levels;
    const size_t end = min((get_global_id(0) + 1) * tiles_each, (size_t)(n - 1) / tile + 1);
    global const uint *split = (global const uint *)(splits + splits_at);
    for (size_t i = get_global_id(0) * tiles_each; i < end; i += CLSORT_TREES) {
        tree_t tree[CLSORT_TREES];
        uint rest[CLSORT_TREES], common = tile;
        for (uint t = 0; t < CLSORT_TREES; t++) {
            const size_t own = min(i + t, end - 1), base = own * tile;
            rest[t] = begin_tree(&tree[t], &r, leaves, split + own * CLSORT__MOST_RUNS,
                                 i + t < end ? (uint)min((size_t)tile, n - base) : 0, (uint)base,
                                 codec);
            common = min(common, rest[t]);
        }
        for (uint m = 0; m < common; m++) {
            #pragma unroll
            for (uint t = 0; t < CLSORT_TREES; t++)
                play(&tree[t], &r, leaves, target, codec);
        }
        for (uint t = 0; t < CLSORT_TREES; t++)
            for (uint m = common; m < rest[t]; m++)
                play(&tree[t], &r, leaves, target, codec);
    }
}

//---- distribution: codes [CACHED HYBRID PARTITION RADIX SEGMENTS.alone SEGMENTS.lanes SWEEP]
/* A code is stored in two words of a table, the lower one first. */
INLINE code_t table_code(global const uint *words)
{
    return (code_t)(words[0] | (ulong)words[1] << 32);
}

INLINE void set_table_code(global uint *words, code_t code)
{
    words[0] = (uint)code;
    words[1] = (uint)((ulong)code >> 32);
}

/* Zeroes the words from `words`, where the plan begins, up to `end`. It leaves out the word
   SKIP_PASSES, because other work-groups may read it meanwhile. */
INLINE void clear_passes(global uint *words, global const uint *end)
{
    for (size_t i = get_global_id(0); i < (size_t)(end - words); i += get_global_size(0))
        if (i != CLSORT__SKIP_PASSES)
            words[i] = 0;
}

//---- distribution: passes of radix [CACHED PARTITION RADIX SEGMENTS.alone SEGMENTS.lanes SWEEP]
/* RADIX sorts by the least significant digit first, stable. One pass per digit of CLSORT_DIGIT_BITS
   bits of the code. The elements are cut into `blocks` of block_elements elements; all but the last
   block are whole tiles. A pass is two or three launches:

     count      how often each digit occurs in each block             reads keys
     scan       where each block's elements of each digit begin       2^bits * blocks words
     scatter    moves the elements there                              reads and writes elements

   With a work-item per block, counts and places lie in private memory. With a work-group per block,
   the group orders one tile at a time in local memory, then writes the tile digit by digit.
   Work-groups need no scan. STRETCH_BLOCKS consecutive blocks are a stretch. `count` also adds a
   block's counts to the sums of its stretch. `scatter` adds up the sums of the other stretches and
   the counts of the blocks in its own stretch.

   The device decides which passes move anything. The first count also finds the bits in which any
   two codes differ. The PLAN follows from these bits. It has a word for each pass: whether the pass
   sorts, copies or is idle, and between which arrays. The first scan writes the plan. Work-groups
   have no scan, so each launch of theirs computes the word of its pass.

   A pass sorts if its digit is not the same in all codes. Otherwise it is idle, unless the plan
   makes it copy. Moves alternate between target and alt, and the last move must end in target. So
   the number of moves must be even if source and target are the same array, and 1 or more if they
   are not. If the passes that sort make one move too few, the first idle pass copies. A sort in
   place may have an odd number of passes that all sort. For this case the host adds a pass at the
   end, which only copies or is idle.

     in place, 4 passes:      all sort             S>t  t>T  T>t  t>T   S source, T target, t alt
                              digit 2 is constant  S>t  t>T  T=t  t>T   > sorts, = copies, . idle
                              digits 1, 2 are      S>t  .    .    t>T
     out of place, 4 passes:  all sort             S>t  t>T  T>t  t>T
                              digit 2 is constant  S>T  T>t  .    t>T        no copy
                              all are              S=T  .    .    . */
/* The number of digits of a whole code. */
#define CLSORT_RADIX_DIGITS CLSORT__DIGITS_OF(CLSORT_KEY_BYTES, CLSORT_DIGIT_BITS)

/* digit_t: how a code becomes its digit. */
#if CLSORT_IS(PARTITION)
#if CLSORT_SHARE_LOG2 == 0
#define CLSORT_SPLITTER_SPACE
#else
#define CLSORT_SPLITTER_SPACE local
#endif
/* The digit of an element in a partition is found by a search in a list of CLSORT_DIGITS - 1
   ascending codes. The digit is the number of codes in the list that are not above the element's
   code. The caller's splitters are the end of the list; in front of them it is filled with the code
   0. No element's code is below 0, so part p has digit CLSORT_FIRST_PART + p. The first two steps
   of a search use codes in registers: `middle`, then `lower` or `upper`. */
#define CLSORT_FIRST_PART(splitter_count) (CLSORT_DIGITS - 1 - (splitter_count))
/* 1: the splitters are stored as a search tree, level by level. In a node's number in its level,
   bit 0 is the result of the first comparison, bit 1 of the second, and so on. So a step adds to
   the node's address either 0 or a constant of the level. The nodes that work-items read at the
   same time lie in different banks. */
#define CLSORT_SPLITTER_TREE \
    (CLSORT_IS(PARTITION) && CLSORT_SHARE_LOG2 > 0 && CLSORT_DIGIT_BITS == 8)
typedef struct {
    CLSORT_SPLITTER_SPACE const code_t *splitters;
    code_t lower, middle, upper;
} digit_t;
#elif CLSORT_IS(CACHED)
/* How a code becomes its digit.
   - is_cell 0: the digit of a pass, by shift and mask
   - is_cell 1: the number of a cell. Cells cut the codes low ... last; lower and higher codes fall
     into the first and the last cell. range[cell] is the range that a cell belongs to
   - common: a frequent code, which has a cell of its own behind all others
   - left: the range whose elements are not moved */
typedef struct {
    uint shift, mask, is_cell, left;
    code_t low, last, common;
    global const uchar *range;
} digit_t;
#else
typedef struct { uint shift, mask; } digit_t;
#endif   /* CLSORT_IS(PARTITION) */

/* The arguments of every radix kernel. Elements are sorted by bits first_bit ... last_bit - 1 of
   the code. */
#define CLSORT_RADIX_ARGS \
    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \
        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint blocks, \
        uint block_elements, uint first_bit, uint last_bit, uint in_place, uint pass
#define CLSORT_RADIX \
    { \
        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(alt), CLSORT_CODEC, \
            (global uint *)(scratch + scratch_at), CLSORT_COUNT(n), \
            CLSORT_CUT(blocks, CLSORT_COUNT(n), block_elements), block_elements, first_bit, \
            last_bit, in_place & (CLSORT__MAY_SKIP - 1), pass, \
            in_place & CLSORT__MAY_SKIP \
                && ((global const uint *)(scratch + scratch_at))[CLSORT__SKIP_PASSES] != 0, \
            in_place & CLSORT__LEAVES_BITS \
    }
typedef struct {
    array_t source, target, alt;
    codec_t codec;
    global uint *scratch;
    uint n, blocks, block_elements, first_bit, last_bit, in_place, pass;
    uint done;   /* another form of radix has sorted: there is nothing to do */
    uint leaves_bits;   /* sweeps leave low bits to a sort of equal prefixes */
    digit_t digit;   /* of a partition */
} radix_t;

/* The scratch consists of these tables of words, one behind the other.
   - a work-item per block: plan, bits seen of each block, table[block][digit]
   - passes by work-groups: plan, bits seen, sums[2][stretch][digit] for even and for odd passes,
     table[block][digit]
   - partitions by work-groups: plan, bits seen, table[digit][block], totals[digit] */
INLINE global uint *radix_seen(radix_t r, uint block)
{
    return r.scratch + CLSORT__PLAN_WORDS + (size_t)block * CLSORT__SEEN_WORDS;
}

INLINE global uint *radix_table(radix_t r, uint digit)
{
    return radix_seen(r, r.blocks) + (size_t)digit * r.blocks;
}

INLINE uint radix_passes(radix_t r)
{
    return max((r.last_bit - r.first_bit + CLSORT_DIGIT_BITS - 1) / CLSORT_DIGIT_BITS, 1u);
}

//---- distribution: digits [CACHED PARTITION.group PARTITION.votes RADIX SEGMENTS.alone
//----     SEGMENTS.lanes SWEEP]
#if CLSORT_IS(PARTITION)
INLINE digit_t pass_digit(radix_t r, uint pass)
{
    return r.digit;
}

/* Reverses the eight bits of x. */
INLINE uint reverse_bits(uint x)
{
#if CLSORT_WARPS
    __asm__("brev.b32 %0, %0;" : "+r"(x));
    return x >> 24;
#else
    x = x >> 4 | (x & 15) << 4;
    x = (x >> 2 & 0x33) | (x & 0x33) << 2;
    return (x >> 1 & 0x55) | (x & 0x55) << 1;
#endif
}

INLINE uint digit_of(code_t code, digit_t d)
{
    const uint high = d.middle <= code;
#if CLSORT_SPLITTER_TREE
    local const uchar *levels = (local const uchar *)d.splitters;
    uint node = (high ? CLSORT_KEY_BYTES : 0)
                + ((high ? d.upper : d.lower) <= code ? 2 * CLSORT_KEY_BYTES : 0);
    #pragma unroll
    for (uint level = 2; level < CLSORT_DIGIT_BITS; level++)
        node += *(local const code_t *)(levels + (CLSORT_KEY_BYTES << level) + node) <= code
                    ? CLSORT_KEY_BYTES << level
                    : 0;
    return reverse_bits(node / CLSORT_KEY_BYTES);
#else
    uint part = (high ? CLSORT_DIGITS / 2 : 0)
                + ((high ? d.upper : d.lower) <= code ? CLSORT_DIGITS / 4 : 0);
    #pragma unroll
    for (uint step = CLSORT_DIGITS / 8; step > 0; step /= 2)
        part += d.splitters[part + step - 1] <= code ? step : 0;
    return part;
#endif   /* CLSORT_SPLITTER_TREE */
}
#else
/* The position of a pass's digit in a code. The pass that the host adds at the end has no digit. It
   gets the position of the last pass's digit, but never sorts. */
INLINE digit_t pass_digit(radix_t r, uint pass)
{
    const uint shift = r.first_bit + min(pass, radix_passes(r) - 1) * CLSORT_DIGIT_BITS;
    const digit_t d = { shift, (1u << min(r.last_bit - shift, (uint)CLSORT_DIGIT_BITS)) - 1 };
    return d;
}

#if CLSORT_IS(CACHED)
INLINE uint cell_of(code_t code, digit_t d)
{
    return (uint)((code_t)(min(max(code, d.low), d.last) - d.low) >> d.shift) & d.mask;
}
#endif

INLINE uint digit_of(code_t code, digit_t d)
{
#if CLSORT_IS(CACHED)
    if (d.is_cell)
        return code == d.common ? d.mask + 1 : cell_of(code, d);
#endif
    return (uint)(code >> d.shift) & d.mask;
}
#endif   /* CLSORT_IS(PARTITION) */

/* A word of the plan; 0: the pass is idle.
   - PASS_SORTS, PASS_COPIES: the pass sorts, or it copies
   - PASS_ODD: an odd number of the passes before it sort
   - PASS_FROM: from this bit on, the number of the array to read
   - PASS_TO: from this bit on, the number of the array to write */
enum { PASS_SORTS = 1, PASS_COPIES = 2, PASS_ODD = 4, PASS_FROM = 3, PASS_TO = 5 };
/* Values of in_place. TARGET_IS_SOURCE: the target is the source. ALT_IS_SOURCE: alt is the source.
   Then the first move must not write alt, so the number of moves must be odd. */
enum { TARGET_IS_SOURCE = 1, ALT_IS_SOURCE = CLSORT__ALT_IS_SOURCE };

/* The plan's word for a pass. differ: a bit is set if keys differ in this bit of their codes. A
   pass sorts if its digit has such a bit. copies: 1 if the moves of the passes that sort would not
   end in the target. Then the first pass that does not sort copies all elements. */
INLINE uint make_plan(radix_t r, code_t differ, uint pass)
{
    const uint passes = radix_passes(r);
    uint sorts = 0, sorted = 0, idle = passes, varies = 0;
    if (r.done)
        return 0;
    #pragma unroll 1
    for (uint p = passes; p-- > 0;) {
        const uint own = digit_of(differ, pass_digit(r, p)) != 0;
        sorts += own;
        sorted += own && p < pass;
        varies = p == pass ? own : varies;
        idle = own ? idle : p;
    }
    const uint copies = r.in_place == ALT_IS_SOURCE ? !(sorts & 1)
                        : r.in_place                 ? sorts & 1
                                                     : sorts == 0,
               moved = sorted + (copies && idle < pass), left = sorts + copies - moved;
    if (!varies && !(copies && pass == idle))
        return 0;
    return (varies ? PASS_SORTS | (sorted & 1 ? PASS_ODD : 0) : PASS_COPIES)
           | (!moved     ? ARRAY_SOURCE
              : left & 1 ? ARRAY_ALT
                         : ARRAY_TARGET) << PASS_FROM
           | (left & 1 ? ARRAY_TARGET : ARRAY_ALT) << PASS_TO;
}

/* The bits in which keys differ: bits that are set in some code and clear in another. Work-groups
   merge the bits of all blocks into the bits seen of block 0, which this reads. */
INLINE code_t differing_bits(radix_t r)
{
    return table_code(radix_seen(r, 0)) & table_code(radix_seen(r, 0) + 2);
}

/* Writes the plan. Called by one work-item. */
INLINE void write_plan(radix_t r, code_t differ)
{
    #pragma unroll 1
    for (uint p = 0; p <= radix_passes(r); p++)
        r.scratch[p] = make_plan(r, differ, p);
}

/* The plan's word for this pass. Passes by work-groups have no scan that could write the plan, so
   each work-group computes the word. */
INLINE uint pass_plan(radix_t r)
{
    return CLSORT_IS(RADIX) && CLSORT_SHARE_LOG2 > 0 ? make_plan(r, differing_bits(r), r.pass)
                                                     : r.scratch[r.pass];
}

/* The plan's word for a count. The first count finds the bits that the plan needs. So it runs as if
   its pass sorted. */
INLINE uint count_plan(radix_t r)
{
    return r.pass ? pass_plan(r) : r.done ? 0 : PASS_SORTS;
}

INLINE array_t plan_array(radix_t r, uint plan, uint shift)
{
    return array_at(plan >> shift & 3, r.source, r.target, r.alt);
}

//---- distribution: codes of splitters [PARTITION]
/* PARTITION is one radix pass: count, scan, scatter. Its digits number the parts. The splitters'
   codes lie in private memory, or for work-groups in local memory. */
#define CLSORT_PARTITION_ARGS \
    CLSORT_SORT_ARGS, global const uchar *splitters, ulong splitters_at, global uchar *starts, \
        ulong starts_at, global uchar *scratch, ulong scratch_at, uint n, uint blocks, \
        uint block_elements, uint splitter_count
#define CLSORT_PARTITION(codes) \
    { \
        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(target), CLSORT_CODEC, \
            (global uint *)(scratch + scratch_at), n, blocks, block_elements, 0, 0, 0, 0, 0, 0, \
            { codes, 0, 0, 0 } \
    }

/* Code i of the list that a search uses: 0 in front of the splitters, then the splitters' codes.
   The list has CLSORT_DIGITS - 1 codes. The array has room for one more, which no search uses. */
INLINE code_t splitter_code(global const uchar *splitters, uint i, uint count, codec_t c)
{
    const uint s = i + count - (CLSORT_DIGITS - 1);   /* wraps if i precedes the first splitter */
    return s < count ? encode(((global const code_t *)splitters)[s], c) : 0;
}

//---- distribution: blocks [CACHED PARTITION RADIX SEGMENTS.alone SEGMENTS.lanes SWEEP]
/* A block is elements begin ... begin + size - 1. With `works` 0, take_block returns an empty
   block. A kernel's loops then do nothing, so no barrier has to stand under a condition. */
typedef struct { uint begin, size; } block_t;

INLINE block_t take_block(radix_t r, uint block, uint works)
{
    const uint begin = block * r.block_elements;
    const uint all = works && block < r.blocks;
    const block_t b = { begin, all ? min(r.n - begin, r.block_elements) : 0 };
    return b;
}

/* The bits that are set in one or more codes, and the bits that are clear in one or more codes. */
typedef struct { code_t set, clear; } seen_t;

/* Notes the bits of a code, and returns the code. */
INLINE code_t see_code(seen_t *seen, code_t code)
{
    seen->set |= code;
    seen->clear |= (code_t)~code;
    return code;
}

//---- distribution: blocks are copied [CACHED RADIX SEGMENTS.alone SEGMENTS.lanes SWEEP]
/* Work-item t of `step` work-items copies its share of a block. */
INLINE void copy_block(radix_t r, uint plan, block_t b, uint t, uint step)
{
    const array_t from = plan_array(r, plan, PASS_FROM), to = plan_array(r, plan, PASS_TO);
    for (uint i = t; i < b.size; i += step)
        store_whole_item(to, r.codec, b.begin + i, load_whole_item(from, r.codec, b.begin + i));
}

//---- distribution: a block per work-item [CACHED PARTITION.alone RADIX.alone SEGMENTS.alone
//----     SEGMENTS.lanes]
/* For CPUs: plain loops, with the counters in private memory, which the first-level cache holds. */
#define CLSORT_COUNT_COPIES 4
/* The number of keys whose digits are found at once, in a loop that compilers vectorize. */
#define CLSORT_CODES_AT_ONCE 16

/* The table of a block. Word d is the number of the block's elements with digit d. After the scan
   it is the place where the first of these elements goes. */
INLINE global uint *block_table(radix_t r, uint block)
{
    return r.scratch + CLSORT__PLAN_WORDS + (size_t)block * CLSORT_DIGITS
           + (CLSORT_IS(CACHED) ? CLSORT__CACHED_WORDS : (size_t)r.blocks * CLSORT__SEEN_WORDS);
}

#if CLSORT_IS(PARTITION)
/* Finds the digits of `size` codes; size is CLSORT_CODES_AT_ONCE or 1. Every CLSORT_FINE_DIGITS-th
   code of the list is compared with all `size` codes in a vector. So each code is known to lie
   between two listed codes. A binary search between these two follows. */
#define CLSORT_FINE_DIGITS (CLSORT_DIGITS / 16)
typedef CLSORT_JOIN(CLSORT_CODE_NAME, 16) codes16_t;
INLINE void digits_of(const code_t *code, uint size, digit_t d, uint *digit)
{
    const codes16_t codes = size > 1 ? vload16(0, code) : *code;
    int16 sum = 0;
    #pragma unroll
    for (uint k = 1; k < 16; k++)
        sum -= convert_int16((codes16_t)d.splitters[k * CLSORT_FINE_DIGITS - 1] <= codes);
    const uint16 coarse = as_uint16(sum) * CLSORT_FINE_DIGITS;
    if (size > 1)
        vstore16(coarse, 0, digit);
    else
        *digit = coarse.s0;
    for (uint step = CLSORT_FINE_DIGITS / 2; step > 0; step /= 2)
        for (uint k = 0; k < size; k++)
            digit[k] += d.splitters[digit[k] + step - 1] <= code[k] ? step : 0;
}
#endif   /* CLSORT_IS(PARTITION) */

/* The digits of `size` elements. size is a constant, CLSORT_CODES_AT_ONCE or 1. */
INLINE void find_digits(radix_t r, array_t from, uint begin, uint size, digit_t d,
                        uint *digit, seen_t *seen)
{
#if CLSORT_IS(PARTITION)
    code_t code[CLSORT_CODES_AT_ONCE];
    for (uint k = 0; k < size; k++)
        code[k] = encode(*key_place(from, begin + k), r.codec);
    digits_of(code, size, d, digit);
#else
    for (uint k = 0; k < size; k++)
        digit[k] = digit_of(see_code(seen, encode(*key_place(from, begin + k), r.codec)), d);
#endif
}

//---- distribution: counts of a block [CACHED PARTITION.alone RADIX.alone SEGMENTS.alone
//----     SEGMENTS.lanes]
/* The part that a digit belongs to. It is the digit itself, or if the digit is a cell, the cell's
   range. Each use looks the range up by itself. If a separate loop did so, compilers would turn it
   into gathers of vectors, which are slower. */
INLINE uint range_of(uint digit, digit_t d)
{
#if CLSORT_IS(CACHED)
    return d.is_cell ? d.range[digit] : digit;
#else
    return digit;
#endif
}

/* 1 if elements of this range are not moved. */
INLINE uint is_left(uint range, digit_t d)
{
#if CLSORT_IS(CACHED)
    return d.is_cell && range == d.left;
#else
    return 0;
#endif
}

/* 1 if the digit of a code takes long to find, because it is searched for or needs the map to
   cells. */
INLINE uint is_searched(digit_t d)
{
#if CLSORT_IS(CACHED)
    return d.is_cell;
#else
    return CLSORT_IS(PARTITION);
#endif
}

INLINE void count_digits(radix_t r, array_t from, uint begin, uint size, digit_t d,
                         uint *counters, seen_t *seen)
{
    uint digit[CLSORT_CODES_AT_ONCE];
    find_digits(r, from, begin, size, d, digit, seen);
    for (uint k = 0; k < size; k++)
        counters[k % CLSORT_COUNT_COPIES * CLSORT_DIGITS + range_of(digit[k], d)]++;
}

/* Counts the digits of a block into its table. Each digit has CLSORT_COUNT_COPIES counters, which
   consecutive elements use in turn. So if digits are equal, an increment does not wait for the
   increment before. */
INLINE seen_t count_block(radix_t r, array_t from, uint block, block_t b, digit_t d)
{
    uint counters[CLSORT_COUNT_COPIES * CLSORT_DIGITS], i = 0;
    seen_t seen = { 0, 0 };
    for (uint k = 0; k < CLSORT_COUNT_COPIES * CLSORT_DIGITS; k++)
        counters[k] = 0;
    for (; b.size - i >= CLSORT_CODES_AT_ONCE; i += CLSORT_CODES_AT_ONCE)
        count_digits(r, from, b.begin + i, CLSORT_CODES_AT_ONCE, d, counters, &seen);
    for (; i < b.size; i++)
        count_digits(r, from, b.begin + i, 1, d, counters, &seen);
    for (uint k = 0; k < CLSORT_DIGITS; k++) {
        uint count = 0;
        for (uint copy = 0; copy < CLSORT_COUNT_COPIES; copy++)
            count += counters[copy * CLSORT_DIGITS + k];
        block_table(r, block)[k] = count;
    }
    return seen;
}

/* Replaces the counts of a digit, block by block, by the place where the block's elements with this
   digit begin. sum: where the digit's elements of block 0 begin. Returns the place behind the
   digit's elements of the last block. */
INLINE uint place_digit(radix_t r, uint digit, uint sum)
{
    for (uint b = 0; b < r.blocks; b++) {
        const uint count = block_table(r, b)[digit];
        block_table(r, b)[digit] = sum;
        sum += count;
    }
    return sum;
}

#if CLSORT_IS(RADIX)
/* A work-item per block. The first pass also notes the bits seen. */
CLSORT_KERNEL void clsort_radix_count(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    const uint block = (uint)get_global_id(0), plan = count_plan(r);
    const block_t b = take_block(r, block, plan & PASS_SORTS);
    if (b.size == 0)
        return;
    const seen_t seen = count_block(r, plan_array(r, plan, PASS_FROM), block, b,
                                    pass_digit(r, pass));
    if (pass == 0) {
        set_table_code(radix_seen(r, block), seen.set);
        set_table_code(radix_seen(r, block) + 2, seen.clear);
    }
}

/* One work-item turns the counts into the places where each block's digits begin. */
CLSORT_KERNEL void clsort_radix_scan(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    seen_t seen = { 0, 0 };
    uint sum = 0;
    if (get_global_id(0) != 0)
        return;
    for (uint b = 0; pass == 0 && !r.done && b < r.blocks; b++) {
        seen.set |= table_code(radix_seen(r, b));
        seen.clear |= table_code(radix_seen(r, b) + 2);
    }
    if (pass == 0)
        write_plan(r, seen.set & seen.clear);
    if (pass_plan(r) & PASS_SORTS)
        for (uint d = 0; d < CLSORT_DIGITS; d++)
            sum = place_digit(r, d, sum);
}
#endif   /* CLSORT_IS(RADIX) */

//---- distribution: lanes [CACHED PARTITION.alone RADIX.alone SEGMENTS.alone SEGMENTS.lanes]
/* Where vectors sort ("vectors"), a lane of a vector holds one element. It is the code of a bare
   key, or a pair of 8 bytes: the code of a key of 4 bytes in the upper half, its value of 4 bytes
   or the element's number in the lower half.
   - LANE_BYTES: bytes of a lane; 0 if vectors do not sort
   - VECTOR_LANES: lanes of a vector of 64 bytes; 0 if vectors do not sort
   - COMPRESSES: 1 if the compiler has the instructions of AVX-512 that move selected lanes to the
     front. Pairs need them
   - WITH_VECTORS: an attribute of the kernels that use these instructions. Without it PoCL 7.1,
     when it does not optimize, splits vectors, and fails at the results of compress and expand */
#if CLSORT_RECORDS || CLSORT_NO_VECTORS
#define CLSORT_LANE_BYTES 0
#elif CLSORT_VALUE_BYTES == 0 && (CLSORT_IS(CACHED) || CLSORT_NEEDS_PIECES)
#define CLSORT_LANE_BYTES CLSORT_KEY_BYTES
#elif CLSORT_IS(CACHED) && CLSORT_KEY_BYTES == 4 && CLSORT_VALUE_BYTES == 4
#define CLSORT_LANE_BYTES 8
#else
#define CLSORT_LANE_BYTES 0
#endif
#if CLSORT_NO_COMPRESS || !defined(__AVX512F__)
#define CLSORT_COMPRESSES 0
#elif CLSORT_LANE_BYTES == 4 && __has_builtin(__builtin_ia32_compresssi512_mask) \
    && __has_builtin(__builtin_ia32_expandsi512_mask) \
    && __has_builtin(__builtin_ia32_ucmpd512_mask) \
    && __has_builtin(__builtin_ia32_loaddqusi512_mask) \
    && __has_builtin(__builtin_ia32_storedqusi512_mask)
#define CLSORT_COMPRESSES 1
typedef int16 flags_t;
#define CLSORT_VECTOR_(name) CLSORT_JOIN(CLSORT_JOIN(__builtin_ia32_, name), si512_mask)
#define CLSORT_VECTOR_LESS __builtin_ia32_ucmpd512_mask
#elif CLSORT_LANE_BYTES == 8 && __has_builtin(__builtin_ia32_compressdi512_mask) \
    && __has_builtin(__builtin_ia32_expanddi512_mask) \
    && __has_builtin(__builtin_ia32_ucmpq512_mask) \
    && __has_builtin(__builtin_ia32_loaddqudi512_mask) \
    && __has_builtin(__builtin_ia32_storedqudi512_mask)
#define CLSORT_COMPRESSES 1
typedef long8 flags_t;
#define CLSORT_VECTOR_(name) CLSORT_JOIN(CLSORT_JOIN(__builtin_ia32_, name), di512_mask)
#define CLSORT_VECTOR_LESS __builtin_ia32_ucmpq512_mask
#else
#define CLSORT_COMPRESSES 0
#endif   /* CLSORT_NO_COMPRESS || !defined(__AVX512F__) */
#if CLSORT_COMPRESSES
#define CLSORT_WITH_VECTORS __attribute__((min_vector_width(512)))
#else
#define CLSORT_WITH_VECTORS
#endif
#if CLSORT_LANE_BYTES == 4
#define CLSORT_VECTOR_LANES 16
typedef uint lane_t;
typedef uint16 vector_t;
#elif CLSORT_LANE_BYTES == 8 && (CLSORT_COMPRESSES || CLSORT_VALUE_BYTES == 0)
#define CLSORT_VECTOR_LANES 8
typedef ulong lane_t;
typedef ulong8 vector_t;
#else
#define CLSORT_VECTOR_LANES 0
typedef code_t lane_t;
#endif
#define CLSORT_PACKS_PAIRS (CLSORT_VECTOR_LANES > 0 && CLSORT_VALUE_BYTES > 0)
/* 1: an element fits into one lane and has as many bytes: bare keys, or packed pairs. */
#define CLSORT_IN_LANES (CLSORT_VALUE_BYTES == 0 || CLSORT_PACKS_PAIRS)

/* The number of lanes that fit into the second array of packed pairs. Sorts by vectors have no
   passes, so the host passes this number in the argument `pass`. */
INLINE uint spare_lanes(radix_t r) { return r.pass; }

//---- distribution: scatter where places collide [CACHED RADIX.alone SEGMENTS.alone SEGMENTS.lanes]
/* 1 if the lines that most digits write to share few sets of a first-level cache, so that they
   evict each other. Evenly spaced keys in any order do this: their digits' places lie a power of
   two apart. next: the places of the digits of `size` elements. For few elements the result is 0,
   because staging would not pay for the check. */
#define CLSORT_CACHE_SETS 64
#define CLSORT_CACHE_WAYS 12
CLSORT_NOINLINE uint do_places_collide(const uint *next, uint size)
{
    const uint bytes = CLSORT_RECORDS ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES;
    uint digits[CLSORT_CACHE_SETS], all = 0, colliding = 0;
    if (size < 16 * CLSORT_DIGITS)
        return 0;
    for (uint set = 0; set < CLSORT_CACHE_SETS; set++)
        digits[set] = 0;
    for (uint d = 1; d < CLSORT_DIGITS; d++) {
        const uint set = (size_t)next[d] * bytes / 64 % CLSORT_CACHE_SETS;
        if (next[d] == next[d - 1])
            continue;   /* the digit before has no elements */
        all++;
        colliding += digits[set]++ >= CLSORT_CACHE_WAYS;
    }
    return 2 * colliding > all;
}

//---- distribution: scatter of a block per work-item [CACHED PARTITION.alone RADIX.alone
//----     SEGMENTS.alone SEGMENTS.lanes]
/* An element as it moves: a lane, or an item whose key is not encoded. */
#if CLSORT_IN_LANES
typedef lane_t moved_t;
#define CLSORT_STAGE_ITEMS (64 / (uint)sizeof(moved_t))
#else
typedef item_t moved_t;
#define CLSORT_STAGE_ITEMS 8
#endif
/* STAGING: elements wait in the first-level cache until they fill a line of the target. Then the
   line is written at once, past the caches if the compiler has such a store. Elements are staged in
   two cases: if they are lanes, and more of them than the caches hold; or if their places collide.
   Times with staging, measured against times without:

     2^24 keys, a pass of radix           1 / 1.3 to 1 / 1.6
     2^20 keys, a pass of radix           1.3: so they are not staged
     2^20 lanes of 8 bytes into ranges,   0.8
     which are read once
     2^18 or 2^20 sorted, evenly spaced   1 / 4
     keys with values, a pass of radix */
#define CLSORT_STAGING_BYTES (CLSORT_IS(CACHED) ? 1 << 23 : 1 << 25)
#define CLSORT_STAGES(n) (CLSORT_IN_LANES && (n) >= CLSORT_STAGING_BYTES / (uint)sizeof(moved_t))

/* In cache, elements of an array without values have their numbers for values. */
INLINE moved_t load_moved(radix_t r, array_t from, uint i)
{
#if CLSORT_PACKS_PAIRS
    return (lane_t)encode(*key_place(from, i), r.codec) << 32
           | (from.values ? ((global const uint *)from.values)[i] : i);
#elif CLSORT_IN_LANES
    return *key_place(from, i);
#else
    moved_t e;
    e.key = *key_place(from, i);
    if (!CLSORT_IS(CACHED) || from.values) load_words(from, i, e.word);
    else e.word[0] = i;
    return e;
#endif
}

INLINE global lane_t *lanes_of(array_t a)
{
    return (global lane_t *)a.keys;
}

/* Stores `count` elements at consecutive places. If they are lanes, all places lie in one line of
   the target. In a sort of pieces, places beyond the piece's end become its last place. Otherwise
   they might lie outside: if offsets descend, segments may overlap, and another work-item may
   change elements after they were counted. */
INLINE void store_moved(radix_t r, array_t to, uint place, const moved_t *e, uint count)
{
#if CLSORT_IN_LANES && !CLSORT_NEEDS_PIECES && __has_builtin(__builtin_nontemporal_store)
    if (count == CLSORT_STAGE_ITEMS) {
        __builtin_nontemporal_store(*(const uint16 *)e, (global uint16 *)(lanes_of(to) + place));
        return;
    }
#endif
    for (uint k = 0; k < count; k++) {
        const uint at = CLSORT_NEEDS_PIECES ? min(place + k, r.n - 1) : place + k;
#if CLSORT_IN_LANES
        lanes_of(to)[at] = e[k];
#else
        if (!CLSORT_RECORDS)
            *key_place(to, at) = e[k].key;
        store_words(to, at, e[k].word);
#endif
    }
}

/* Stores staged elements: those in the slots of `line` below `slot`. place: where an element in
   `slot` would go. first: the place of the block's first element of this digit. Slots of places
   before `first` hold nothing, and are left out. */
INLINE void store_line(radix_t r, array_t to, const moved_t *line, uint slot, uint place,
                       uint first)
{
    const uint count = min(slot, place - first);
    store_moved(r, to, place - count, line + (slot - count), count);
}

//---- distribution: elements of a block move [CACHED PARTITION.alone RADIX.alone SEGMENTS.alone
//----     SEGMENTS.lanes]
/* The move of a block.
   - next[digit]: where the digit's next element goes
   - first[digit]: where the block's first element of the digit goes
   - lines[digit]: the digit's staged elements
   - skew: the number of elements from the start of a line of memory to the target's first
     element */
typedef struct {
    array_t from, to;
    digit_t digit;
    uint skew;
    uint *next, *first;
    moved_t (*lines)[CLSORT_STAGE_ITEMS];
} block_mover_t;

/* Moves `size` elements from element `begin` on. size and stages are constants at each call. */
INLINE void move_elements(radix_t r, block_mover_t m, uint begin, uint size, uint stages)
{
    uint digit[CLSORT_CODES_AT_ONCE];
    seen_t seen = { 0, 0 };
    find_digits(r, m.from, begin, size, m.digit, digit, &seen);
    for (uint k = 0; k < size; k++) {
        const uint at = range_of(digit[k], m.digit);
        if (is_left(at, m.digit))
            continue;
        const uint place = m.next[at]++, slot = (place + m.skew) % CLSORT_STAGE_ITEMS;
        if (!stages) {
            const moved_t e = load_moved(r, m.from, begin + k);
            store_moved(r, m.to, place, &e, 1);
            continue;
        }
        m.lines[at][slot] = load_moved(r, m.from, begin + k);
        if (slot == CLSORT_STAGE_ITEMS - 1)
            store_line(r, m.to, m.lines[at], slot + 1, place + 1, m.first[at]);
    }
}

/* Moves the elements of a block. If digits take long to find, CLSORT_CODES_AT_ONCE of them are
   found together. */
INLINE void move_all(radix_t r, block_mover_t m, block_t b, uint stages)
{
    uint i = 0;
    for (; is_searched(m.digit) && b.size - i >= CLSORT_CODES_AT_ONCE; i += CLSORT_CODES_AT_ONCE)
        move_elements(r, m, b.begin + i, CLSORT_CODES_AT_ONCE, stages);
    for (; i < b.size; i++)
        move_elements(r, m, b.begin + i, 1, stages);
}

/* Moves the elements of a block to the places that `next` has for each digit. */
INLINE void move_block(radix_t r, array_t from, array_t to, block_t b, digit_t d, uint *next,
                       uint stages)
{
    moved_t lines[CLSORT_DIGITS][CLSORT_STAGE_ITEMS] __attribute__((aligned(64)));
    uint first[CLSORT_DIGITS];
    const block_mover_t m = { from, to, d,
                              (uint)((size_t)to.keys / sizeof(moved_t)) % CLSORT_STAGE_ITEMS, next,
                              first, lines };
    for (uint k = 0; k < CLSORT_DIGITS; k++)
        first[k] = next[k];
    if (stages) move_all(r, m, b, 1);
    else move_all(r, m, b, 0);
    for (uint k = 0; k < CLSORT_DIGITS && stages; k++)
        store_line(r, to, lines[k], (next[k] + m.skew) % CLSORT_STAGE_ITEMS, next[k], first[k]);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

//---- distribution: a pass moves a block [CACHED RADIX.alone SEGMENTS.alone SEGMENTS.lanes]
INLINE void scatter_block(radix_t r, uint plan, block_t b, uint *next)
{
    move_block(r, plan_array(r, plan, PASS_FROM), plan_array(r, plan, PASS_TO), b,
               pass_digit(r, r.pass), next, CLSORT_STAGES(r.n) || do_places_collide(next, b.size));
}

//---- distribution: radix scatters blocks [RADIX.alone]
CLSORT_KERNEL void clsort_radix_scatter(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    const uint block = (uint)get_global_id(0), plan = pass_plan(r);
    const block_t b = take_block(r, block, plan & (PASS_SORTS | PASS_COPIES));
    uint next[CLSORT_DIGITS];
    if (b.size == 0)
        return;
    if (plan & PASS_COPIES) {
        copy_block(r, plan, b, 0, 1);
        return;
    }
    for (uint d = 0; d < CLSORT_DIGITS; d++)
        next[d] = block_table(r, block)[d];
    scatter_block(r, plan, b, next);
}

//---- distribution: a tile per work-group [PARTITION.group PARTITION.votes RADIX.group SWEEP]
/* 1: the program partitions into few parts, and warps are known. Then votes of warps rank
   elements. */
#define CLSORT_FEW_VOTES (CLSORT_IS(PARTITION) && CLSORT_DIGIT_BITS == 4 && CLSORT_WARPS)

//---- distribution: counting [PARTITION.group PARTITION.votes RADIX.group SWEEP]
/* COUNT_COPIES: copies of each counter in local memory, so that lanes with equal digits meet less
   often in one bank. HALF_COUNTERS: the histogram of sweeps packs two counters of 16 bits into a
   word. So a work-group may count at most CLSORT__COUNTER_MOST * CLSORT_COUNT_COPIES elements. In
   sweeps, warps need no packing and only 2 copies: their plain increment handles equal digits at
   once. */
#define CLSORT_HALF_COUNTERS (CLSORT_IS(SWEEP) && !CLSORT_WARPS)
#define CLSORT_COUNTERS (CLSORT_DIGITS * (CLSORT_IS(SWEEP) ? CLSORT_RADIX_DIGITS : 1))
#define CLSORT_COUNT_COPIES \
    (CLSORT_IS(SWEEP)   ? CLSORT__HISTOGRAM_COPIES(CLSORT_COUNTERS, CLSORT_WARPS) \
     : CLSORT_FEW_VOTES ? CLSORT__WARP \
                        : CLSORT__LEAST_COPIES)
#define CLSORT_COUNT_WORDS ((CLSORT_COUNTERS >> CLSORT_HALF_COUNTERS) * CLSORT_COUNT_COPIES)
/* The keys that a work-item loads at once. */
#define CLSORT_COUNT_ITEMS (CLSORT_WARPS ? 8 : CLSORT_RADIX_ITEMS)

/* Clears the counters and the words of the bits seen, which lie behind the counters. Ends with a
   barrier. */
INLINE void clear_counters(local uint *counters)
{
    clear_words(counters, CLSORT_COUNT_WORDS + CLSORT__SEEN_WORDS);
    local_barrier();
}

/* Counts one digit of pass first + p. own: the work-item's copy of the counters. */
INLINE void count_one(local uint *own, uint p, uint digit)
{
    const uint i = p * CLSORT_DIGITS + digit;
    atomic_add(&own[(i >> CLSORT_HALF_COUNTERS) * CLSORT_COUNT_COPIES],
               CLSORT_HALF_COUNTERS ? 1u << i % 2 * 16 : 1u);
}

/* Counts the digits of passes first ... last of a block's elements. A work-item loads
   CLSORT_COUNT_ITEMS keys before it counts the first of them. The keys at the block's end that are
   too few for all work-items come one by one. Called with the counters cleared and a barrier since;
   the counts are complete after a barrier. */
INLINE void count_block(radix_t r, array_t from, block_t b, uint first, uint last,
                        local uint *counters, seen_t *seen)
{
    const uint step = CLSORT_GROUP * CLSORT_COUNT_ITEMS, rest = b.size % step;
    local uint *own = counters + local_id() % CLSORT_COUNT_COPIES;
    for (uint base = local_id(); base < b.size - rest; base += step) {
        const array_t at = advance(from, (long)b.begin + base);
        code_t code[CLSORT_COUNT_ITEMS];
        #pragma unroll
        for (uint m = 0; m < CLSORT_COUNT_ITEMS; m++)
            code[m] = *key_place(at, m * CLSORT_GROUP);
        #pragma unroll
        for (uint m = 0; m < CLSORT_COUNT_ITEMS; m++)
            code[m] = see_code(seen, encode(code[m], r.codec));
        for (uint p = first; p <= last; p++) {
            const digit_t digit = pass_digit(r, p);
            #pragma unroll
            for (uint m = 0; m < CLSORT_COUNT_ITEMS; m++)
                count_one(own, p - first, digit_of(code[m], digit));
        }
    }
    #pragma unroll 1
    for (uint i = b.size - rest + local_id(); i < b.size; i += CLSORT_GROUP) {
        const code_t code = see_code(seen, encode(*key_place(from, (size_t)b.begin + i), r.codec));
        for (uint p = first; p <= last; p++)
            count_one(own, p - first, digit_of(code, pass_digit(r, p)));
    }
}

/* The sum of the copies of counter i. If there is a copy for each lane, work-items begin the sum
   with different copies, which lie in different banks. Called with a barrier since the counting. */
INLINE uint counter_sum(local const uint *counters, uint i)
{
    uint count = 0;
    for (uint k = 0; k < CLSORT_COUNT_COPIES; k++) {
        const uint copy = CLSORT_FEW_VOTES ? (k + i) % CLSORT_COUNT_COPIES : k,
                   word = counters[(i >> CLSORT_HALF_COUNTERS) * CLSORT_COUNT_COPIES + copy];
        count += CLSORT_HALF_COUNTERS ? word >> i % 2 * 16 & 0xFFFF : word;
    }
    return count;
}

/* Merges a work-item's bits seen into words of local memory: words 0 and 1 for the bits set, words
   2 and 3 for the bits clear, the lower half first. Called with a barrier since the words were
   cleared; they are complete after a barrier. */
INLINE void merge_seen(local uint *words, seen_t seen)
{
    atomic_or(&words[0], (uint)seen.set);
    atomic_or(&words[2], (uint)seen.clear);
    if (CLSORT_KEY_BYTES == 8) {
        atomic_or(&words[1], (uint)((ulong)seen.set >> 32));
        atomic_or(&words[3], (uint)((ulong)seen.clear >> 32));
    }
}

//---- distribution: tiles [PARTITION.group PARTITION.votes RADIX.group SWEEP]
/* A tile in local memory. An element's place in the tile is its index after the tile was put in
   order.
   - offsets[digit]: where an element of the digit goes in the target, minus its place in the tile
   - next[digit]: where the block's next element of the digit goes in the target
   - counters[team][digit]: the number of the team's elements of the digit. Later, the place in the
     tile of the next one. Either number begins at bit CLSORT_COUNT_SHIFT. Without warps, each lower
     bit stands for a work-item of the team: it is set while this work-item's present element has
     the digit
   - sums: for a sweep's ticket and group_scan, before anything is staged
   - staged: codes, later words of values, by their places in the tile
   - origins: in clsort_radix_small, the numbers of the elements before they were sorted; in a
     partition, bytes: the digit of each staged element */
#define CLSORT_STAGED_BYTES \
    (CLSORT_RADIX_TILE \
     * (CLSORT_KEY_BYTES > 4 * CLSORT_WORDS ? CLSORT_KEY_BYTES : 4 * CLSORT_WORDS))
#define CLSORT_TEAM_COUNTERS \
    CLSORT__RADIX_COUNTERS(CLSORT_GROUP, CLSORT_TEAM_MOST, CLSORT_DIGITS)
#define CLSORT_COUNT_SHIFT (CLSORT_WARPS ? 0 : 16)
#define CLSORT_STAGES_LATE CLSORT__RADIX_STAGES_LATE(CLSORT_TEAM_MOST, CLSORT_WORDS)
#if CLSORT_STAGES_LATE && !CLSORT_WARPS
#error "teams of CLSORT__WARP need warps"
#endif
typedef struct {
    local uint *offsets, *next, *counters, *sums;
    local code_t *staged;
    local ushort *origins;
} tile_t;

INLINE tile_t make_tile(local ulong *space)
{
    local uint *offsets = (local uint *)space,
               *counters = offsets + CLSORT__RADIX_PLACES(CLSORT_DIGITS),
               *sums = counters + CLSORT_TEAM_COUNTERS;
    const uint words = CLSORT__RADIX_TILE_WORDS(CLSORT_DIGITS, CLSORT_TEAM_COUNTERS,
                                                CLSORT__SCAN_WORDS(CLSORT_GROUP),
                                                (CLSORT_STAGED_BYTES + 3) / 4, CLSORT_STAGES_LATE);
    const tile_t tile = { offsets, offsets + CLSORT_DIGITS, counters, sums,
                          (local code_t *)(CLSORT_STAGES_LATE ? counters : sums),
                          (local ushort *)(offsets + words) };
    return tile;
}

/* The number in the source's tile of a work-item's m-th element. The m-th elements of a team lie
   side by side. */
INLINE uint tile_item(uint m)
{
    const uint t = local_id();
    return t / CLSORT_TEAM * (CLSORT_TEAM * CLSORT_RADIX_ITEMS) + t % CLSORT_TEAM + m * CLSORT_TEAM;
}

/* Loads the work-item's keys. In place of a key beyond the end it takes the key whose code is the
   top code. All loads of a tile overlap. */
INLINE void load_keys(code_t *key, array_t from, codec_t c, uint size)
{
    const uint first = tile_item(0);
    const array_t own = advance(from, first);
    if (size >= CLSORT_RADIX_TILE) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
            key[m] = *key_place(own, m * CLSORT_TEAM);
    } else {
        #pragma unroll
        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
            key[m] = first + m * CLSORT_TEAM < size ? *key_place(own, m * CLSORT_TEAM)
                                                    : decode(CLSORT_TOP_CODE, c);
    }
}

INLINE void load_codes(code_t *code, array_t from, codec_t c, uint size)
{
    load_keys(code, from, c, size);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        code[m] = encode(code[m], c);
}

//---- distribution: ranks in a tile [PARTITION.group RADIX.group SWEEP]
/* The digits of a work-item's elements. Only partitions keep them, because their digits take long
   to find. Other programs find a digit again at each use, which takes fewer registers. */
typedef struct { uint bytes[CLSORT_IS(PARTITION) ? CLSORT_DIGIT_WORDS : 1]; } item_digits_t;

INLINE uint item_digit(const item_digits_t *digits, const code_t *code, uint m, digit_t d)
{
    return CLSORT_IS(PARTITION) ? get_digit(digits->bytes, m) : digit_of(code[m], d);
}

/* Counts the digits of the team's elements. A warp's plain increment is one instruction for all
   lanes with the same digit. Called by all work-items with the counters free; needs a barrier
   after. */
INLINE void count_team_digits(tile_t tile, item_digits_t *digits, const code_t *code,
                              digit_t digit)
{
    const uint lane = local_id() % CLSORT_TEAM;
    local uint *counters = tile.counters + local_id() / CLSORT_TEAM * CLSORT_DIGITS;
    for (uint d = lane; d < CLSORT_DIGITS; d += CLSORT_TEAM)
        counters[d] = 0;
    team_sync();
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint d = digit_of(code[m], digit);
        if (CLSORT_IS(PARTITION))
            set_digit(digits->bytes, m, d);
        atomic_add(&counters[d], 1u << CLSORT_COUNT_SHIFT);
    }
}

/* Clears in mask %0 each lane whose digit %1 differs in bit `bit` from the digit of the work-item's
   own lane. */
#define CLSORT_VOTE(bit) \
    "{ .reg .pred p; .reg .b32 own, same; and.b32 own, %1, " bit "; setp.ne.u32 p, own, 0;" \
    " vote.sync.ballot.b32 same, p, 0xffffffff; @!p not.b32 same, same; and.b32 %0, %0, same; }"

/* Returns a mask of the team's lanes whose present element has digit d. *place becomes the place in
   the tile of the first of these elements. A warp votes on each bit of the digits. Without warps,
   each lane sets its bit in the digit's counter. Called by all work-items; needs team_sync after
   the counter was moved on. */
INLINE uint find_peers(local uint *counter, uint d, uint lane, uint *place)
{
#if CLSORT_WARPS
    uint peers = 0xFFFFFFFFu;
    __asm__ volatile(CLSORT_VOTE("1") CLSORT_VOTE("2") CLSORT_VOTE("4") CLSORT_VOTE("8")
                     CLSORT_VOTE("16") CLSORT_VOTE("32") CLSORT_VOTE("64") CLSORT_VOTE("128")
                     : "+r"(peers) : "r"(d));
    *place = *counter;
#else
    atomic_or(counter, 1u << lane);
    team_sync();
    const uint now = *counter, peers = now & 0xFFFF;
    *place = now >> 16;
#endif
    team_sync();
    return peers;
}

/* Hides from the compiler that d is the same digit_t as before. Otherwise the compiler keeps the
   digits of all elements in registers from one loop to the next. */
INLINE digit_t opaque_digit(digit_t d)
{
#if CLSORT_WARPS && !CLSORT_IS(PARTITION)
    __asm__ volatile("mov.b32 %0, %0;" : "+r"(d.shift));
#endif
    return d;
}

/* Stages a code at its place in the tile; in a partition, the digit, too. */
INLINE void stage_code(tile_t tile, uint place, code_t code, uint digit)
{
    tile.staged[place] = code;
    if (CLSORT_IS(PARTITION))
        ((local uchar *)tile.origins)[place] = (uchar)digit;
}

/* Finds the place in the tile of each of the team's elements, by their order. A counter has the
   place of the digit's next element. A lane adds to it the number of lower lanes with the same
   digit. The highest of these lanes moves the counter on. Called by all work-items with a barrier
   since place_digits. */
INLINE void rank_items(tile_t tile, const item_digits_t *digits, const code_t *code,
                       digit_t digit, uint *rank)
{
    const uint lane = local_id() % CLSORT_TEAM;
    local uint *counters = tile.counters + local_id() / CLSORT_TEAM * CLSORT_DIGITS;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint d = item_digit(digits, code, m, digit);
        uint place;
        const uint peers = find_peers(&counters[d], d, lane, &place),
                   own = place + popcount(peers & ((1u << lane) - 1));
        if (peers >> lane == 1)
            counters[d] = (own + 1) << CLSORT_COUNT_SHIFT;
        set_rank(rank, m, own);
        if (!CLSORT_STAGES_LATE)
            stage_code(tile, own, code[m], d);
        team_sync();
    }
}

/* Stages the codes if rank_items could not, because staging reuses the counters. Called by all
   work-items; needs a barrier after. */
INLINE void stage_codes(tile_t tile, const item_digits_t *digits, const code_t *code,
                        digit_t digit, const uint *rank)
{
#if CLSORT_STAGES_LATE
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        stage_code(tile, get_rank(rank, m), code[m],
                   CLSORT_IS(PARTITION) ? item_digit(digits, code, m, digit) : 0);
#endif
}

//---- distribution: places [PARTITION.group RADIX.group SWEEP]
/* The k-th digit that a work-item is responsible for. Behind the last digit it is CLSORT_DIGITS. */
#define CLSORT_OWN_DIGITS ((CLSORT_DIGITS + CLSORT_GROUP - 1) / CLSORT_GROUP)
INLINE uint assigned_digit(uint k)
{
    return min(local_id() * CLSORT_OWN_DIGITS + k, (uint)CLSORT_DIGITS);
}

/* The number of elements of the tile with a digit. Called with a barrier since the counting. */
INLINE uint digit_count(tile_t tile, uint digit)
{
    uint count = 0;
    #pragma unroll
    for (uint w = 0; w < CLSORT_TEAMS; w++)
        count += tile.counters[w * CLSORT_DIGITS + digit] >> CLSORT_COUNT_SHIFT;
    return count;
}

/* Turns the counts of the work-item's own digits into places in the tile: where each team's
   elements of the digit begin. begin: where the first own digit begins. Subtracts from offsets[d]
   the place where digit d begins. Called by all work-items with the offsets of their own digits
   set; needs a barrier after. */
INLINE void place_digits(tile_t tile, uint begin)
{
    for (uint d = assigned_digit(0); d < assigned_digit(CLSORT_OWN_DIGITS); d++) {
        tile.offsets[d] -= begin;
        #pragma unroll
        for (uint w = 0; w < CLSORT_TEAMS; w++) {
            local uint *counter = &tile.counters[w * CLSORT_DIGITS + d];
            const uint count = *counter >> CLSORT_COUNT_SHIFT;
            *counter = begin << CLSORT_COUNT_SHIFT;
            begin += count;
        }
    }
}

/* Puts a tile in order: counts the digits, finds where each digit begins, ranks and stages the
   elements. Elements of digit d will go to the target from next[d] on; then next[d] moves on by
   their number. Called by all work-items with the tile free; ends with a barrier. */
INLINE void order_tile(tile_t tile, const code_t *code, digit_t digit, uint *rank)
{
    uint sum = 0;
    item_digits_t digits;
    count_team_digits(tile, &digits, code, digit);
    local_barrier();
    for (uint d = assigned_digit(0); d < assigned_digit(CLSORT_OWN_DIGITS); d++) {
        const uint count = digit_count(tile, d);
        tile.offsets[d] = tile.next[d];
        tile.next[d] += count;
        sum += count;
    }
    place_digits(tile, group_scan(sum, tile.sums));
    local_barrier();
    rank_items(tile, &digits, code, digit, rank);
    stage_codes(tile, &digits, code, digit, rank);
    local_barrier();
}

//---- distribution: tiles move [PARTITION.group PARTITION.votes RADIX.group SWEEP]
/* Writes the keys of the staged codes to the target. place[m] becomes the place of the m-th key
   that the work-item writes. Called by all work-items with a barrier since the offsets and codes
   were set. */
INLINE void store_codes(tile_t tile, array_t to, codec_t c, digit_t digit, uint size,
                        uint *place)
{
    const uint t = local_id(), whole = size == CLSORT_RADIX_TILE;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const code_t code = tile.staged[m * CLSORT_GROUP + t];
        const uint d = CLSORT_IS(PARTITION)
                           ? ((local const uchar *)tile.origins)[m * CLSORT_GROUP + t]
                           : digit_of(code, digit);
        place[m] = tile.offsets[d] + m * CLSORT_GROUP + t;
        if (!CLSORT_RECORDS && (whole || m * CLSORT_GROUP + t < size))
            *key_place(to, place[m]) = decode(code, c);
    }
}

/* The values of a work-item's elements. */
typedef struct { uint word[CLSORT_WORDS_OR_1]; } value_t;

INLINE void load_values(value_t *value, array_t from, uint size)
{
    if (CLSORT_WORDS == 0)
        return;
    if (size == CLSORT_RADIX_TILE) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
            load_words(from, tile_item(m), value[m].word);
        return;
    }
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        load_words_within(from, tile_item(m), tile_item(m) < size, value[m].word);
}

/* Moves the values through local memory to the places where store_codes wrote their keys. Called by
   all work-items with a barrier since the last use of `staged`. */
INLINE void move_values(tile_t tile, const value_t *value, array_t to, uint size,
                        const uint *rank, const uint *place)
{
    const uint t = local_id();
    local uint *staged = (local uint *)tile.staged;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        #pragma unroll
        for (uint w = 0; w < CLSORT_WORDS; w++)
            if (tile_item(m) < size)
                staged[w * CLSORT_RADIX_TILE + get_rank(rank, m)] = value[m].word[w];
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        uint word[CLSORT_WORDS_OR_1];
        #pragma unroll
        for (uint w = 0; w < CLSORT_WORDS; w++)
            word[w] = staged[w * CLSORT_RADIX_TILE + m * CLSORT_GROUP + t];
        if (m * CLSORT_GROUP + t < size)
            store_words(to, place[m], word);
    }
}

/* Writes an ordered tile. Called by all work-items with a barrier since it was staged and the
   offsets were set. */
INLINE void store_tile(tile_t tile, const value_t *value, array_t to, codec_t c,
                       digit_t digit, uint size, const uint *rank)
{
    uint place[CLSORT_RADIX_ITEMS];
    store_codes(tile, to, c, digit, size, place);
    if (CLSORT_WORDS) {
        local_barrier();
        move_values(tile, value, to, size, rank, place);
    }
}

//---- distribution: splitters [PARTITION.group PARTITION.votes]
/* The size in words of 8 bytes of the splitters' codes. They come first in local memory. */
#define CLSORT_SPLITTER_ULONGS (CLSORT_DIGITS * CLSORT_KEY_BYTES / 8)

/* Encodes the splitters into local memory. Called by all work-items; ends with a barrier. */
INLINE digit_t load_splitters(local code_t *codes, global const uchar *splitters, uint count,
                              codec_t c)
{
    for (uint d = local_id(); d < CLSORT_DIGITS; d += CLSORT_GROUP) {
        const uint node = max(d, 1u), level = 31 - clz(node),
                   i = reverse_bits(node - (1u << level)) + (CLSORT_DIGITS >> (level + 1)) - 1;
        codes[d] = splitter_code(splitters, CLSORT_SPLITTER_TREE ? i : d, count, c);
    }
    local_barrier();
    const uint step = CLSORT_DIGITS / 4, tree = CLSORT_SPLITTER_TREE;
    const digit_t digit = { codes, codes[tree ? 2 : step - 1], codes[tree ? 1 : 2 * step - 1],
                            codes[tree ? 3 : 3 * step - 1] };
    return digit;
}

/* A work-group per digit. Replaces each block's count of the digit by the sum of this digit's
   counts in earlier blocks, and writes the digit's total. space: CLSORT__SCAN_WORDS words. */
CLSORT_KERNEL void clsort_partition_scan(CLSORT_PARTITION_ARGS, local ulong *space)
{
    const radix_t r = CLSORT_PARTITION(0);
    const uint digit = (uint)get_group_id(0), share = (blocks + CLSORT_GROUP - 1) / CLSORT_GROUP,
               begin = min((uint)local_id() * share, blocks), end = min(begin + share, blocks);
    global uint *counts = radix_table(r, digit);
    uint sum = 0;
    for (uint b = begin; b < end; b++)
        sum += counts[b];
    sum = group_scan(sum, (local uint *)space);
    for (uint b = begin; b < end; b += 8) {
        uint count[8];   /* loads do not wait for earlier stores */
        #pragma unroll
        for (uint k = 0; k < 8; k++)
            count[k] = b + k < end ? counts[b + k] : 0;
        #pragma unroll
        for (uint k = 0; k < 8; k++) {
            if (b + k < end)
                counts[b + k] = sum;
            sum += count[k];
        }
    }
    if (local_id() == CLSORT_GROUP - 1)
        radix_table(r, CLSORT_DIGITS)[digit] = sum;
}

//---- distribution: few parts by votes [PARTITION.votes]
/* FEW PARTS, where warps are known. A warp votes on each bit of its elements' digits. From the
   votes lane l counts the warp's elements of digit l modulo 16. An element asks the lane that
   counts its digit how many came before. Keys are staged in local memory in CHUNKS of 16 bytes. All
   keys of a chunk belong to one part, and a chunk goes to 16 aligned bytes of the target. The keys
   at the edges of a part, which fill no chunk, are written one by one. On an H200, for 2^26 u32,
   the count takes 0.08 ms. The scatter takes 0.18 ms, or 0.16 ms for sorted keys. */
#define CLSORT_STAGED_CHUNKS CLSORT__FEW_CHUNKS(CLSORT_RADIX_TILE, CLSORT_KEY_BYTES)
#define CLSORT_STAGED_UNITS \
    (CLSORT_STAGED_CHUNKS \
     * (4 * CLSORT_WORDS > CLSORT_KEY_BYTES ? 4 * CLSORT_WORDS / CLSORT_KEY_BYTES : 1))

/* The number of keys that one load takes: 16 bytes of them, if a work-item's keys make whole
   chunks, otherwise 1. */
#define CLSORT_CHUNKS (CLSORT_RADIX_ITEMS * CLSORT_KEY_BYTES % 16 == 0)
#define CLSORT_CHUNK_KEYS (CLSORT_CHUNKS ? CLSORT_PACK : 1)
#define CLSORT_STORE_CHUNK CLSORT_JOIN(vstore, CLSORT_PACK)

/* 1 if the elements that begin at `from` can be loaded in chunks. */
INLINE uint has_chunks(array_t from)
{
    return CLSORT_CHUNKS && ((size_t)from.keys & 15) == 0;
}

/* Loads the work-item's keys in chunks. The first chunk begins at element `first`, the next ones
   `step` elements apart. */
INLINE void load_chunks(code_t *key, array_t from, uint first, uint step)
{
#if CLSORT_CHUNKS
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m += CLSORT_CHUNK_KEYS)
        CLSORT_STORE_CHUNK(
            *(global const pack_t *)key_place(from, first + m / CLSORT_CHUNK_KEYS * step), 0,
            key + m);
#endif
}

//---- distribution: digits by votes [PARTITION.votes]
/* Returns four times the digit of a code. bit[0] ... bit[3] become the bits of the digit, the
   highest one first. */
INLINE uint vote_digit(code_t code, digit_t d, uint *bit)
{
    local const uchar *splitters = (local const uchar *)d.splitters;
    bit[0] = d.middle <= code;
    bit[1] = (bit[0] ? d.upper : d.lower) <= code;
    uint digit = (bit[0] ? 32 : 0) + (bit[1] ? 16 : 0);
    bit[2] = *(local const code_t *)(splitters + digit * CLSORT_KEY_BYTES / 4 + CLSORT_KEY_BYTES)
             <= code;
    digit += bit[2] ? 8 : 0;
    bit[3] = *(local const code_t *)(splitters + digit * CLSORT_KEY_BYTES / 4) <= code;
    return digit + (bit[3] ? 4 : 0);
}

/* The digit that the work-item's lane counts. A warp has two lanes for each digit, so sums over
   digits use only the first CLSORT_DIGITS lanes. */
INLINE uint lane_digit(void) { return local_id() % CLSORT_DIGITS; }

INLINE void encode_keys(code_t *key, codec_t c)
{
    if (keys_are_codes(c))
        return;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        key[m] = encode(key[m], c);
}

//---- distribution: few parts are counted by lanes [PARTITION.votes]
/* Counts the digits of a block's elements; a digit has a counter for each lane. Called with the
   counters cleared and a barrier since; ends with a barrier. */
INLINE void count_lanes(radix_t r, block_t b, local uint *counters)
{
    local uint *own = counters + local_id() % CLSORT__WARP;
    const array_t from = advance(r.source, b.begin);
    const uint whole = has_chunks(from) ? b.size / CLSORT_RADIX_TILE * CLSORT_RADIX_TILE : 0;
    uint bit[4];
    for (uint tile = 0; tile < whole; tile += CLSORT_RADIX_TILE) {
        code_t key[CLSORT_RADIX_ITEMS];
        load_chunks(key, advance(from, tile), local_id() * CLSORT_CHUNK_KEYS,
                    CLSORT_GROUP * CLSORT_CHUNK_KEYS);
        encode_keys(key, r.codec);
        #pragma unroll
        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
            atomic_add(&own[vote_digit(key[m], r.digit, bit) * (CLSORT__WARP / 4)], 1u);
    }
    #pragma unroll 1
    for (uint i = whole + local_id(); i < b.size; i += CLSORT_GROUP)
        atomic_add(&own[vote_digit(encode(*key_place(from, i), r.codec), r.digit, bit)
                        * (CLSORT__WARP / 4)],
                   1u);
    local_barrier();
}

//---- distribution: few parts are ranked by votes [PARTITION.votes]
/* A tile in local memory. Position i is slot i % CLSORT_PACK of chunk i / CLSORT_PACK. A part
   begins in a new chunk, so some positions are empty.
   - parts[part].x: its first whole chunk
   - parts[part].y: the number of its whole chunks
   - parts[part].z: where an element goes in the target, minus its position
   - parts[part].w: its first position
   - edges[2 * part]: the positions in front of the part's whole chunks, begin and end
   - edges[2 * part + 1]: the positions behind them, begin and end
   - starts[part]: its first chunk
   - owners[chunk]: the part that the chunk belongs to
   - counts[warp][part]: the number of the warp's elements in the part */
typedef struct {
    local code_t *staged;
    local uint4 *parts;
    local uint2 *edges;
    local uint *starts, *counts;
    local uchar *owners;
} votes_t;

INLINE votes_t make_votes(local ulong2 *space)
{
    local ulong2 *parts = space + CLSORT_STAGED_UNITS, *edges = parts + CLSORT_DIGITS,
                 *starts = edges + CLSORT_DIGITS;
    local uint *counts = (local uint *)starts + CLSORT_DIGITS;
    const votes_t v = { (local code_t *)space, (local uint4 *)parts, (local uint2 *)edges,
                        (local uint *)starts, counts,
                        (local uchar *)(counts + CLSORT_TEAMS * CLSORT_DIGITS) };
    return v;
}

/* rank[m] has an element's rank from bit CLSORT_RANK_LOG2 on, and its digit in the bits below. */
#define CLSORT_RANK_LOG2 7
/* Ranks the warp's elements: an element's rank is the number of earlier ones in the warp with its
   digit. Returns the number of the warp's elements of the lane's digit. Called by whole warps. */
INLINE uint vote_ranks(uint *rank, const code_t *key, codec_t c, digit_t digit)
{
    const uint own = lane_digit(), before = (1u << local_id() % CLSORT__WARP) - 1;
    const uint flip[4] = { own & 8 ? 0 : ~0u, own & 4 ? 0 : ~0u, own & 2 ? 0 : ~0u,
                           own & 1 ? 0 : ~0u };
    code_t code[CLSORT_RADIX_ITEMS];
    uint count = own;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        code[m] = key[m];
    encode_keys(code, c);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        uint bit[4], lanes = ~0u;
        const uint d = vote_digit(code[m], digit, bit) / 4;
        #pragma unroll
        for (uint b = 0; b < 4; b++)
            lanes &= ballot(bit[b]) ^ flip[b];
        rank[m] = lane_value(count, d)
                  + ((uint)popcount(lane_value(lanes, d) & before) << CLSORT_RANK_LOG2);
        count += (uint)popcount(lanes) << CLSORT_RANK_LOG2;
    }
    return count >> CLSORT_RANK_LOG2;
}

//---- distribution: few parts are placed [PARTITION.votes]
/* Places the parts of a tile, of which `missing` elements are beyond the end. Returns the position
   where the warp's elements of the lane's digit begin.
   - *next: where the block's next element of the lane's digit goes; moved on here
   - skew: the number of elements from the last multiple of 16 bytes to the target's first element
   - *chunks: becomes the number of chunks staged

   Called by all work-items with a barrier since the counts were written; needs one after. */
INLINE uint place_parts(votes_t v, uint *next, uint skew, uint missing, uint *chunks)
{
    const uint own = lane_digit(), t = local_id(), warp = t / CLSORT__WARP;
    uint before = 0, count = 0;
    #pragma unroll
    for (uint w = 0; w < CLSORT_TEAMS; w++) {
        const uint here = v.counts[w * CLSORT_DIGITS + own];
        before += w < warp ? here : 0;
        count += here;
    }
    const uint phase = (*next + skew) % CLSORT_PACK,
               size = (phase + count + CLSORT_PACK - 1) / CLSORT_PACK, sum = scan_lanes(size),
               first = (sum - size) * CLSORT_PACK + phase;
    count -= own == CLSORT_DIGITS - 1 ? missing : 0;
    const uint end = first + count,
               head = min(end, (first + CLSORT_PACK - 1) / CLSORT_PACK * CLSORT_PACK),
               tail = max(head, end / CLSORT_PACK * CLSORT_PACK);
    if (t < CLSORT_DIGITS) {
        v.starts[t] = sum - size;
        v.parts[t] = (uint4)(head / CLSORT_PACK, (tail - head) / CLSORT_PACK, *next - first,
                             first);
        v.edges[2 * t] = (uint2)(first, head);
        v.edges[2 * t + 1] = (uint2)(tail, end);
    }
    *chunks = lane_value(sum, CLSORT_DIGITS - 1);
    *next += count;
    return first + before;
}

/* Stages the keys, and turns each rank in the warp into a position. begin: as place_parts returned
   it. */
INLINE void place_keys(votes_t v, uint *rank, const code_t *key, uint begin)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint at = rank[m] + lane_value(begin << CLSORT_RANK_LOG2, rank[m]);
        const uint byte = at / ((1u << CLSORT_RANK_LOG2) / CLSORT_KEY_BYTES);
        *(local code_t *)((local uchar *)v.staged + byte) = key[m];
        rank[m] = at >> CLSORT_RANK_LOG2;
    }
}

//---- distribution: few parts are stored [PARTITION.votes]
/* The part of a chunk: the last part that starts at this chunk or before. */
INLINE uint chunk_part(votes_t v, uint chunk)
{
    uint part = 0;
    #pragma unroll
    for (uint step = CLSORT_DIGITS / 2; step > 0; step /= 2)
        part += v.starts[part + step] <= chunk ? step : 0;
    return part;
}

INLINE void store_chunk(votes_t v, array_t to, uint chunk)
{
    const uint d = chunk_part(v, chunk);
    const uint4 part = v.parts[d];
    if (CLSORT_WORDS)
        v.owners[chunk] = (uchar)d;
    if (chunk - part.x < part.y)
        *(global pack_t *)key_place(to, part.z + chunk * CLSORT_PACK)
            = ((local const pack_t *)v.staged)[chunk];
}

/* Writes the staged keys. Called by all work-items with a barrier since the staging. */
INLINE void store_chunks(votes_t v, array_t to, uint chunks)
{
    const uint each = CLSORT_RADIX_ITEMS * CLSORT_KEY_BYTES / 16;
    #pragma unroll
    for (uint m = 0; m < each; m++)
        store_chunk(v, to, local_id() + m * CLSORT_GROUP);
    #pragma unroll 1
    for (uint i = local_id() + each * CLSORT_GROUP; i < chunks; i += CLSORT_GROUP)
        store_chunk(v, to, i);
    #pragma unroll 1
    for (uint i = local_id(); i < 2 * CLSORT_DIGITS * CLSORT_PACK; i += CLSORT_GROUP) {
        const uint2 edge = v.edges[i / CLSORT_PACK];
        const uint at = edge.x + i % CLSORT_PACK;
        if (at < edge.y)
            *key_place(to, v.parts[i / CLSORT_PACK / 2].z + at) = v.staged[at];
    }
}

//---- distribution: few parts are moved [PARTITION.votes]
/* Moves the values to the same places as the keys. Called by all work-items with the keys stored
   and a barrier since; has a barrier, and needs one after. */
INLINE void move_words(votes_t v, const value_t *value, const uint *rank, array_t to,
                       uint size, uint chunks)
{
    const uint slots = CLSORT_STAGED_CHUNKS * CLSORT_PACK;
    local uint *staged = (local uint *)v.staged;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        #pragma unroll
        for (uint w = 0; w < CLSORT_WORDS; w++)
            if (tile_item(m) < size)
                staged[w * slots + rank[m]] = value[m].word[w];
    local_barrier();
    #pragma unroll 4
    for (uint at = local_id(); at < chunks * CLSORT_PACK; at += CLSORT_GROUP) {
        const uint d = v.owners[at / CLSORT_PACK];
        const uint4 part = v.parts[d];
        uint word[CLSORT_WORDS_OR_1];
        #pragma unroll
        for (uint w = 0; w < CLSORT_WORDS; w++)
            word[w] = staged[w * slots + at];
        if (at >= part.w && at < v.edges[2 * d + 1].y)
            store_words(to, part.z + at, word);
    }
}

/* The place where the block's next element of the lane's digit goes. */
INLINE uint begin_lane(radix_t r, uint block)
{
    const uint total = radix_table(r, CLSORT_DIGITS)[lane_digit()];
    return scan_lanes(total) - total + radix_table(r, lane_digit())[block];
}

/* Moves a block tile by tile. While one tile is stored, the keys of the next tile are loaded. */
INLINE void vote_block(votes_t v, radix_t r, block_t b, uint next)
{
    const uint skew = (uint)((size_t)r.target.keys % 16) / CLSORT_KEY_BYTES;
    array_t from = advance(r.source, b.begin);
    code_t key[CLSORT_RADIX_ITEMS];
    uint rank[CLSORT_RADIX_ITEMS], chunks;
    load_keys(key, from, r.codec, b.size);
    #pragma unroll 1
    for (uint left = b.size; left > 0;) {
        const uint size = min(left, (uint)CLSORT_RADIX_TILE), t = local_id(),
                   count = vote_ranks(rank, key, r.codec, r.digit);
        value_t value[CLSORT_RADIX_ITEMS];
        if (t % CLSORT__WARP < CLSORT_DIGITS)
            v.counts[t / CLSORT__WARP * CLSORT_DIGITS + t % CLSORT__WARP] = count;
        local_barrier();
        place_keys(v, rank, key, place_parts(v, &next, skew, CLSORT_RADIX_TILE - size, &chunks));
        load_values(value, from, size);
        left -= size;
        from = advance(from, CLSORT_RADIX_TILE);
        load_keys(key, from, r.codec, left);
        local_barrier();
        store_chunks(v, r.target, chunks);
        if (CLSORT_WORDS) {
            local_barrier();
            move_words(v, value, rank, r.target, size, chunks);
        }
    }
}

//---- radix: small in a work-item [CACHED RADIX.alone SEGMENTS.alone SEGMENTS.lanes]
/* Counts the digits of all passes, for all keys. Returns the bits in which keys differ. */
INLINE code_t count_all_digits(radix_t r, uint counters[][CLSORT_DIGITS])
{
    seen_t seen = { 0, 0 };
    for (uint p = 0; p < radix_passes(r); p++)
        for (uint d = 0; d < CLSORT_DIGITS; d++)
            counters[p][d] = 0;
    for (uint i = 0; i < r.n; i++) {
        const code_t code = see_code(&seen, encode(*key_place(r.source, i), r.codec));
        for (uint p = 0; p < radix_passes(r); p++)
            counters[p][digit_of(code, pass_digit(r, p))]++;
    }
    return seen.set & seen.clear;
}

/* One work-item sorts n elements. It reads the keys once to count the digits of all passes. Of the
   scratch it uses only the plan. */
INLINE void sort_small(radix_t r)
{
    const block_t all = { 0, r.n };
    uint counters[CLSORT_RADIX_DIGITS][CLSORT_DIGITS];
    write_plan(r, count_all_digits(r, counters));
    for (r.pass = 0; r.pass <= radix_passes(r); r.pass++) {
        if (pass_plan(r) & PASS_SORTS) {
            uint sum = 0;
            for (uint d = 0; d < CLSORT_DIGITS; d++) {
                const uint count = counters[r.pass][d];
                counters[r.pass][d] = sum;
                sum += count;
            }
            scatter_block(r, pass_plan(r), all, counters[r.pass]);
        } else if (pass_plan(r) & PASS_COPIES)
            copy_block(r, pass_plan(r), all, 0, 1);
    }
}

#if CLSORT_IS(RADIX)
/* Sorts in one launch of one work-item. */
CLSORT_KERNEL void clsort_radix_small(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    if (get_global_id(0) == 0)
        sort_small(r);
}
#endif

//---- radix: count [PARTITION.group RADIX.group]
#if CLSORT_IS(RADIX)
/* The sums of a stretch: the number of its elements with each digit of the pass. Even and odd
   passes have sums of their own. The counts of blocks lie behind all sums. */
INLINE global uint *stretch_sums(radix_t r, uint pass, uint stretch)
{
    return radix_seen(r, 1)
           + (pass % 2 * CLSORT__STRETCHES(r.blocks) + stretch) * (size_t)CLSORT_DIGITS;
}

INLINE global uint *block_counts(radix_t r, uint block)
{
    return stretch_sums(r, 0, 2 * CLSORT__STRETCHES(r.blocks) + block);
}

/* Clears the bits seen and the sums. */
CLSORT_KERNEL void clsort_radix_clear_sums(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    if (!r.done)
        clear_passes(r.scratch, block_counts(r, 0));
}

/* Counts the pass's digits of each block, a work-group per block. The first pass also merges the
   bits seen. Launched with the bits seen and the pass's sums cleared. counters: CLSORT_COUNT_WORDS
   + 4 words. */
CLSORT_KERNEL void clsort_radix_count(CLSORT_RADIX_ARGS, local uint *counters)
{
    const radix_t r = CLSORT_RADIX;
    const uint block = (uint)get_group_id(0), t = local_id(), plan = count_plan(r);
    const block_t b = take_block(r, block, plan & PASS_SORTS);
    seen_t seen = { 0, 0 };
    if (b.size == 0)
        return;
    clear_counters(counters);
    count_block(r, plan_array(r, plan, PASS_FROM), b, pass, pass, counters, &seen);
    merge_seen(counters + CLSORT_COUNT_WORDS, seen);
    local_barrier();
    for (uint d = t; d < CLSORT_DIGITS; d += CLSORT_GROUP) {
        const uint count = counter_sum(counters, d);
        block_counts(r, block)[d] = count;
        if (CLSORT__STRETCHES(r.blocks))
            atomic_add(&stretch_sums(r, pass, block / CLSORT__STRETCH_BLOCKS)[d], count);
    }
    for (uint k = t; k < CLSORT__SEEN_WORDS && pass == 0; k += CLSORT_GROUP)
        atomic_or(&radix_seen(r, 0)[k], counters[CLSORT_COUNT_WORDS + k]);
}

/* Clears the sums for the next pass. No work-group uses them during this pass. */
INLINE void clear_next_sums(radix_t r)
{
    const uint count = CLSORT__STRETCHES(r.blocks) * CLSORT_DIGITS;
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
        stretch_sums(r, r.pass + 1, 0)[i] = 0;
}

/* The number of all elements with a digit. *before becomes the number of those that lie in blocks
   before this one. Both numbers are made of the counts of the blocks in the block's own stretch and
   the sums of the other stretches. The loads of 8 sums and 8 counts do not wait for each other. */
INLINE uint total_digit(radix_t r, uint block, uint digit, uint *before)
{
    const uint stretches = CLSORT__STRETCHES(r.blocks), own = block / CLSORT__STRETCH_BLOCKS,
               first = own * CLSORT__STRETCH_BLOCKS,
               end = min(first + CLSORT__STRETCH_BLOCKS, r.blocks);
    uint total = 0;
    *before = 0;
    #pragma unroll 1
    for (uint k = 0; k < max(stretches, (uint)CLSORT__STRETCH_BLOCKS); k += 8) {
        uint sum[8], count[8];
        #pragma unroll
        for (uint i = 0; i < 8; i++) {
            const uint other = k + i, near = first + k + i;
            sum[i] = other < stretches && other != own ? stretch_sums(r, r.pass, other)[digit] : 0;
            count[i] = near < end ? block_counts(r, near)[digit] : 0;
        }
        #pragma unroll
        for (uint i = 0; i < 8; i++) {
            total += sum[i] + count[i];
            *before += (k + i < own ? sum[i] : 0) + (first + k + i < block ? count[i] : 0);
        }
    }
    return total;
}
#else
/* The number of all elements with a digit. *before becomes the number of those in earlier blocks.
   The scan has written both. */
INLINE uint total_digit(radix_t r, uint block, uint digit, uint *before)
{
    *before = radix_table(r, digit)[block];
    return radix_table(r, CLSORT_DIGITS)[digit];
}
#endif   /* CLSORT_IS(RADIX) */

//---- radix: scatter [PARTITION.group RADIX.group]
/* Sets tile.next[d] to the place where the block's elements of digit d begin: behind all elements
   of smaller digits, and behind the elements of digit d in earlier blocks. Called by all
   work-items; ends with a barrier. */
INLINE void begin_block(radix_t r, uint block, tile_t tile)
{
    uint sum = 0;
    for (uint d = assigned_digit(0); d < assigned_digit(CLSORT_OWN_DIGITS); d++) {
        uint before;
        tile.offsets[d] = total_digit(r, block, d, &before);
        tile.next[d] = before;
        sum += tile.offsets[d];
    }
    sum = group_scan(sum, tile.sums);
    for (uint d = assigned_digit(0); d < assigned_digit(CLSORT_OWN_DIGITS); d++) {
        tile.next[d] += sum;
        sum += tile.offsets[d];
    }
    local_barrier();
}

/* Moves the first `size` elements of `from`, at most a tile. Called by all work-items with the tile
   free; ends with a barrier. */
INLINE void scatter_tile(tile_t tile, array_t from, array_t to, codec_t codec, digit_t digit,
                         uint size)
{
    code_t code[CLSORT_RADIX_ITEMS];
    value_t value[CLSORT_RADIX_ITEMS];
    uint rank[CLSORT_RANK_WORDS];
    load_codes(code, from, codec, size);
    order_tile(tile, code, digit, rank);
    load_values(value, from, size);
    store_tile(tile, value, to, codec, digit, size, rank);
    local_barrier();
}

#if CLSORT_IS(RADIX)
/* A work-group per block. space: CLSORT__RADIX_TILE_WORDS words. */
CLSORT_KERNEL void clsort_radix_scatter(CLSORT_RADIX_ARGS, local ulong *space)
{
    const radix_t r = CLSORT_RADIX;
    const tile_t tile = make_tile(space);
    const uint block = (uint)get_group_id(0), plan = pass_plan(r);
    const block_t sorted = take_block(r, block, plan & PASS_SORTS),
                  copied = take_block(r, block, plan & PASS_COPIES);
    const array_t from = plan_array(r, plan, PASS_FROM), to = plan_array(r, plan, PASS_TO);
    if (r.done)
        return;
    clear_next_sums(r);
    copy_block(r, plan, copied, local_id(), CLSORT_GROUP);
    if (sorted.size == 0)
        return;
    begin_block(r, block, tile);
    for (uint done = 0; done < sorted.size; done += CLSORT_RADIX_TILE)
        scatter_tile(tile, advance(from, sorted.begin + done), to, r.codec, pass_digit(r, pass),
                     min(sorted.size - done, (uint)CLSORT_RADIX_TILE));
}
#endif   /* CLSORT_IS(RADIX) */

//---- radix: small [RADIX.group]
/* Sorts the work-items' codes by one digit. If there are values, origin[] goes with the codes: the
   elements' numbers before the sort. Called by clsort_radix_small with the tile free; has
   barriers. */
INLINE void order_small(tile_t tile, code_t *code, uint *origin, digit_t digit)
{
    uint rank[CLSORT_RANK_WORDS];
    order_tile(tile, code, digit, rank);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        code[m] = tile.staged[tile_item(m)];
        if (CLSORT_WORDS)
            tile.origins[get_rank(rank, m)] = (ushort)origin[m];
    }
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        origin[m] = CLSORT_WORDS ? tile.origins[tile_item(m)] : 0;
}

/* Sorts elements that fit into one tile, in one launch of one work-group. space: as for
   clsort_radix_scatter, and if there are values, 2 * CLSORT_RADIX_TILE bytes behind it. */
CLSORT_KERNEL void clsort_radix_small(CLSORT_RADIX_ARGS, local ulong *space)
{
    const radix_t r = CLSORT_RADIX;
    const tile_t tile = make_tile(space);
    code_t code[CLSORT_RADIX_ITEMS];
    item_t items[CLSORT_RADIX_ITEMS];
    uint origin[CLSORT_RADIX_ITEMS];
    clear_words(tile.next, CLSORT_DIGITS);
    load_codes(code, r.source, r.codec, r.n);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        origin[m] = tile_item(m);
    for (uint p = 0; p < radix_passes(r); p++)
        order_small(tile, code, origin, pass_digit(r, p));
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        items[m].key = code[m];
        load_words_within(r.source, origin[m], tile_item(m) < r.n, items[m].word);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        store_item(r.target, r.codec, tile_item(m), r.n, items[m]);
}

//---- radix: sweep [SWEEP]
/* ONE SWEEP: a pass that reads and writes each element once. Before the passes, a histogram counts
   the digits of all passes in one reading. In a pass a tile must know how many elements of each
   digit all earlier tiles have. Tiles tell each other in two steps. A tile first publishes how
   often it has each digit, its partial count. As soon as it knows the sum of all earlier tiles, it
   publishes this sum plus its own count, its inclusive sum. To find the sum of the earlier tiles, a
   tile looks back: it adds partial counts, from the tile before it backwards, until it meets an
   inclusive sum.

     status[tile][digit]   ... | inclusive | partial | partial | partial | own tile
                                 <------------- look-back --------------

   Work-groups draw the tiles' numbers, so a tile waits only for tiles of work-groups that have
   started. All of these must make progress. OpenCL does not promise that, so these kernels are for
   devices known to do so (CLSORT_FORWARD_PROGRESS). Elsewhere only tests run them, on devices that
   run work-groups one after the other. Sources: D. Merrill and M. Garland, Single-pass Parallel
   Prefix Scan with Decoupled Look-back, 2016; A. Adinets and D. Merrill, Onesweep, 2022. */
#if CLSORT_GROUP_LOG2 < CLSORT_DIGIT_BITS
#error "sweeps need a work-item for each digit"
#elif CLSORT__DIGITS_OF(CLSORT_KEY_BYTES, CLSORT_DIGIT_BITS) > CLSORT__SWEEP_PASSES
#error "a pass of sweeps needs CLSORT_DIGIT_BITS of an eighth of the key's bits or more"
#elif CLSORT__PLAN_WORDS + CLSORT__SEEN_WORDS + CLSORT__SWEEP_PASSES + 2 > CLSORT__SWEEP_HEAD
#error "the tickets of CLSORT__SWEEP_PASSES passes do not fit into CLSORT__SWEEP_HEAD words"
#endif

/* The number of earlier tiles whose status words a look-back loads at once. */
#define CLSORT_SWEEP_AHEAD 4
#if CLSORT_WIDE
typedef ulong status_t;
#define CLSORT_STATUS_SHIFT 62
#define CLSORT_STATUS_PTX(op) op ".relaxed.gpu.global.u64 "
#define CLSORT_STATUS_REG "l"
#else
typedef uint status_t;
#define CLSORT_STATUS_SHIFT 30
#define CLSORT_STATUS_PTX(op) op ".relaxed.gpu.global.u32 "
#define CLSORT_STATUS_REG "r"
#endif

/* Load or store a status word past the caches, because other work-groups may write or read it
   during the launch. */
#if CLSORT_FORWARD_PROGRESS
INLINE status_t load_status(global const status_t *p)
{
    status_t word;
    __asm__ volatile(CLSORT_STATUS_PTX("ld") "%0, [%1];"
                     : "=" CLSORT_STATUS_REG(word)
                     : "l"(p)
                     : "memory");
    return word;
}

INLINE void store_status(global status_t *p, status_t word)
{
    __asm__ volatile(CLSORT_STATUS_PTX("st") "[%0], %1;"
                     :
                     : "l"(p), CLSORT_STATUS_REG(word)
                     : "memory");
}
#else
INLINE status_t load_status(global const status_t *p)
{
    return *(volatile global const status_t *)p;
}

INLINE void store_status(global status_t *p, status_t word)
{
    *(volatile global status_t *)p = word;
}
#endif   /* CLSORT_FORWARD_PROGRESS */

//---- radix: sweep scratch [SWEEP]
/* The scratch, in words: plan; bits seen; a ticket counter for each pass (or in one launch of all
   passes, two in all); the number of low bits left; the number of equal prefixes;
   counts[pass][digit]; status[tile][digit]. */
INLINE global uint *sweep_tickets(radix_t r)
{
    return radix_seen(r, 1);
}

INLINE global uint *bits_left(radix_t r)
{
    return sweep_tickets(r) + CLSORT__SWEEP_PASSES;
}

INLINE global uint *prefixes_found(radix_t r)
{
    return bits_left(r) + 1;
}

INLINE global uint *sweep_counts(radix_t r, uint pass)
{
    return r.scratch + CLSORT__SWEEP_HEAD + (size_t)pass * CLSORT_DIGITS;
}

INLINE global status_t *sweep_status(radix_t r, uint tile)
{
    return (global status_t *)sweep_counts(r, CLSORT_RADIX_DIGITS) + (size_t)tile * CLSORT_DIGITS;
}

#if CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_BEHIND
CLSORT_KERNEL void clsort_radix_clear(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    if (!r.done)
        clear_passes(r.scratch, (global uint *)sweep_status(r, r.blocks));
}
#endif

/* Counts the digits of all passes. Any number of work-groups may run it, if each counts no more
   elements than its counters hold. counters: CLSORT_COUNT_WORDS + 4 words. */
CLSORT_KERNEL void clsort_radix_histogram(CLSORT_RADIX_ARGS, local uint *counters)
{
    const radix_t r = CLSORT_RADIX;
    seen_t seen = { 0, 0 };
    if (r.done)
        return;
    clear_counters(counters);
    for (uint tile = (uint)get_group_id(0); tile < r.blocks; tile += (uint)get_num_groups(0))
        count_block(r, r.source, take_block(r, tile, 1), 0, radix_passes(r) - 1, counters, &seen);
    merge_seen(counters + CLSORT_COUNT_WORDS, seen);
    local_barrier();
    for (uint i = local_id(); i < radix_passes(r) * CLSORT_DIGITS; i += CLSORT_GROUP) {
        const uint count = counter_sum(counters, i);
        if (count != 0)
            atomic_add(&sweep_counts(r, 0)[i], count);
    }
    for (uint k = local_id(); k < CLSORT__SEEN_WORDS; k += CLSORT_GROUP)
        atomic_or(&radix_seen(r, 0)[k], counters[CLSORT_COUNT_WORDS + k]);
}

/* A work-group per pass turns the counts of the pass into the places where its digits begin. The
   first work-group also writes the plan. In the plan, passes over low bits that are left do not
   sort. sums: CLSORT__SCAN_WORDS(CLSORT_GROUP) words. */
CLSORT_KERNEL void clsort_radix_begin(CLSORT_RADIX_ARGS, local uint *sums)
{
    const radix_t r = CLSORT_RADIX;
    const uint p = (uint)get_group_id(0), t = local_id();
    if (p == 0 && t == 0) {
        const uint low = first_bit + (r.leaves_bits ? *bits_left(r) : 0);
        write_plan(r, (code_t)(differing_bits(r) >> low << low));
        if (r.leaves_bits)
            r.scratch[CLSORT__SKIP_PASSES] = 1;
    }
    if (r.done)
        return;
    const uint count = t < CLSORT_DIGITS ? sweep_counts(r, p)[t] : 0,
               begin = group_scan(count, sums);
    if (t < CLSORT_DIGITS)
        sweep_counts(r, p)[t] = begin;
}

//---- radix: look-back [SWEEP]
/* A status word has a count in its lower bits, and the kind of the count in its upper two bits: 00
   nothing yet, 01 a partial count, 10 an inclusive sum. Words are not cleared between passes. When
   a pass that sorts ends, all words are inclusive sums, 10. The next pass that sorts flips the
   upper bit whenever it reads or writes a word. So it reads the old sums as 00, nothing yet, and
   leaves 00 where its own sums are. The pass after it flips nothing, and reads these as nothing
   yet. */
#define CLSORT_STATUS_PARTIAL ((status_t)1 << CLSORT_STATUS_SHIFT)
#define CLSORT_STATUS_INCLUSIVE ((status_t)2 << CLSORT_STATUS_SHIFT)

INLINE status_t pass_parity_tag(uint plan)
{
    return plan & PASS_ODD ? CLSORT_STATUS_INCLUSIVE : 0;
}

/* The place where the tile's elements with this digit begin: behind the elements with this digit in
   all earlier tiles. In tile 0 it is the place where the digit begins. Publishes the inclusive sum.
   Called after the tile's partial count was published. */
INLINE uint look_back(radix_t r, uint plan, uint tile, uint digit, uint count)
{
    uint before = tile ? 0 : sweep_counts(r, r.pass)[digit];
    const status_t tag = pass_parity_tag(plan);
    for (uint left = tile; left > 0;) {
        status_t word[CLSORT_SWEEP_AHEAD];
        #pragma unroll
        for (uint k = 0; k < CLSORT_SWEEP_AHEAD; k++)
            word[k] = load_status(sweep_status(r, left - 1 - min(k, left - 1)) + digit);
        uint known = 1;
        #pragma unroll
        for (uint k = 0; k < CLSORT_SWEEP_AHEAD; k++) {
            const status_t now = word[k] ^ tag;
            known = known && left > 0 && now >= CLSORT_STATUS_PARTIAL;
            before += known ? (uint)(now & (CLSORT_STATUS_PARTIAL - 1)) : 0;
            left = known ? (now >= CLSORT_STATUS_INCLUSIVE ? 0 : left - 1) : left;
        }
    }
    store_status(sweep_status(r, tile) + digit, (CLSORT_STATUS_INCLUSIVE | (before + count)) ^ tag);
    return before;
}

//---- radix: sweep pass [SWEEP]
/* Draws the number of the work-group's next tile. Called by all work-items; needs a barrier before
   the tile's sums are used. */
INLINE uint draw_tile(radix_t r, tile_t tile, uint sorts)
{
    const uint draws = sorts && local_id() == 0;
    return share_number(draws ? atomic_inc(&sweep_tickets(r)[r.pass]) : 0, tile.sums);
}

/* Publishes the tile's counts and finds where each digit begins in the tile. Called by all
   work-items with a barrier since the counting; needs one after. Returns the count of digit t, for
   work-item t. */
INLINE uint publish_counts(radix_t r, uint plan, uint number, tile_t tile)
{
    const uint t = local_id(), count = t < CLSORT_DIGITS ? digit_count(tile, t) : 0;
    if (t < CLSORT_DIGITS) {
        if (plan & PASS_SORTS && number > 0)
            store_status(sweep_status(r, number) + t,
                         (CLSORT_STATUS_PARTIAL | count) ^ pass_parity_tag(plan));
        tile.offsets[t] = 0;
    }
    place_digits(tile, group_scan(count, tile.sums));
    return count;
}

/* Moves a tile. The tile publishes its counts before it ranks its elements, and looks back after
   that. Meanwhile other tiles can go on, so they wait less. Called by all work-items with the tile
   free. */
INLINE void sweep_tile(radix_t r, uint plan, uint number, tile_t tile)
{
    const uint t = local_id(), sorts = plan & PASS_SORTS;
    const digit_t digit = pass_digit(r, r.pass);
    const block_t b = take_block(r, number, sorts);
    const array_t from = advance(plan_array(r, plan, PASS_FROM), b.begin);
    code_t code[CLSORT_RADIX_ITEMS];
    value_t value[CLSORT_RADIX_ITEMS];
    item_digits_t digits;
    uint rank[CLSORT_RANK_WORDS];
    load_codes(code, from, r.codec, b.size);
    count_team_digits(tile, &digits, code, digit);
    local_barrier();
    const uint count = publish_counts(r, plan, number, tile);
    local_barrier();
    rank_items(tile, &digits, code, opaque_digit(digit), rank);
    stage_codes(tile, &digits, code, digit, rank);
    load_values(value, from, b.size);
    if (sorts && t < CLSORT_DIGITS)
        tile.offsets[t] += look_back(r, plan, number, t, count);
    local_barrier();
    store_tile(tile, value, plan_array(r, plan, PASS_TO), r.codec, digit, b.size, rank);
}

#if CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_BEHIND
/* A work-group per tile; a block is a tile of CLSORT_RADIX_TILE. space: as for
   clsort_radix_scatter. */
CLSORT_KERNEL void clsort_radix_sweep(CLSORT_RADIX_ARGS, local ulong *space)
{
    const radix_t r = CLSORT_RADIX;
    const tile_t tile = make_tile(space);
    const uint plan = pass_plan(r), sorts = plan & PASS_SORTS;
    if (CLSORT_COUNTED && get_group_id(0) >= r.blocks)
        return;
    copy_block(r, plan, take_block(r, (uint)get_group_id(0), plan & PASS_COPIES), local_id(),
               CLSORT_GROUP);
    if (CLSORT_FORWARD_PROGRESS && !sorts)
        return;
    sweep_tile(r, plan, draw_tile(r, tile, sorts), tile);
}
#endif   /* CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_BEHIND */

#if CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_ALONE
/* All passes in one launch, behind another form of radix. The passes sort only if that form gave
   up, which is rare. One idle launch ends sooner than one for each pass. There may be any number of
   work-groups; each draws its next number while it moves a tile. space: a word for the number,
   rounded up to 8 bytes, then as for clsort_radix_scatter. */
CLSORT_KERNEL void clsort_radix_sweeps(CLSORT_RADIX_ARGS, local ulong *space)
{
    radix_t r = CLSORT_RADIX;
    const tile_t tile = make_tile(space + 1);
    global uint *numbers = sweep_tickets(r);
    local uint *word = (local uint *)space;
    if (r.done)
        return;
    uint number = share_number(draw_ahead(numbers), word), first = 0;
    for (r.pass = 0; r.pass <= radix_passes(r); r.pass++) {
        const uint plan = pass_plan(r), tiles = plan ? r.blocks : 0;
        uint moved = 0;
        wait_until_done(numbers, first);
        while (number - first < tiles) {
            const uint ahead = draw_ahead(numbers);
            copy_block(r, plan, take_block(r, number - first, plan & PASS_COPIES), local_id(),
                       CLSORT_GROUP);
            if (!CLSORT_FORWARD_PROGRESS || plan & PASS_SORTS)
                sweep_tile(r, plan, number - first, tile);
            moved++;
            group_sync();
            number = share_number(ahead, word);
        }
        tell_done(numbers, moved);
        first += tiles;
    }
}
#endif   /* CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_ALONE */

//---- radix: equal prefixes [SWEEP.mends]
/* EQUAL PREFIXES. The upper digits of a long key are its PREFIX. If keys are spread out, few of
   them share a prefix. After sweeps by the prefix alone, only neighbours with an equal prefix may
   be out of order. So the lowest digits are not swept, and an insertion sort puts such neighbours
   in order. How many digits the prefix needs is estimated from the counts of all digits, as if the
   digits of a key were independent of each other. If they are not, too many elements may share a
   prefix. Then the word CLSORT__SKIP_PASSES becomes 0, and sweeps by all digits follow.

     measure               chooses how many low bits are not swept
     begin, sweeps         sort by the digits above these bits
     prefixes              lists in alt the groups of elements with an equal prefix, and checks
                           that no group is too large
     sort_prefixes         sorts each group */

/* One work-group chooses the length of the prefix. For each digit it finds the share of elements
   that have the digit's most frequent value. n times the shares of all digits in the prefix is
   about the number of elements with the most frequent prefix, if digits are independent. The prefix
   gets longer, digit by digit, until this number is below 0.6. sums: CLSORT__SWEEP_PASSES *
   CLSORT__WARP words. */
CLSORT_KERNEL void clsort_radix_measure(CLSORT_RADIX_ARGS, local uint *sums)
{
    const radix_t r = CLSORT_RADIX;
    local float *shares = (local float *)sums;
    const uint t = local_id(), passes = radix_passes(r);
    for (uint i = t; i < CLSORT__SWEEP_PASSES * CLSORT__WARP; i += CLSORT_GROUP) {
        const uint p = i / CLSORT__WARP;
        float share = 0;
        for (uint d = i % CLSORT__WARP; d < (p < passes ? CLSORT_DIGITS : 0); d += CLSORT__WARP) {
            const float part = (float)sweep_counts(r, p)[d] / (float)r.n;
            share = max(share, part);
        }
        shares[i] = share;
    }
    local_barrier();
    if (t != 0)
        return;
    float peers = (float)r.n;
    uint p = passes;
    while (p > 0 && peers >= 0.6f) {
        float share = 0;
        p--;
        for (uint i = 0; i < CLSORT__WARP; i++)
            share = max(share, shares[p * CLSORT__WARP + i]);
        peers *= share;
    }
    *bits_left(r) = p * CLSORT_DIGIT_BITS;
}

/* The bits of a code that elements are sorted by, except the `low` lowest of them. */
INLINE code_t upper_bits(radix_t r, code_t code, uint low)
{
    const uint above = 8 * CLSORT_KEY_BYTES - r.last_bit;
    return (code_t)((code_t)(code << above) >> (above + r.first_bit + low));
}

INLINE code_t upper_at(radix_t r, size_t i, uint low)
{
    return upper_bits(r, encode(*key_place(r.target, i), r.codec), low);
}

//---- radix: equal prefixes are listed [SWEEP.mends]
/* The number of consecutive elements, from element `first` on, that have the prefix of element
   `first`. Stops counting at CLSORT__EDGE_MOST_EQUAL_PREFIX + 1. */
INLINE uint count_equal_prefix(radix_t r, size_t first, uint low)
{
    const code_t upper = upper_at(r, first, low);
    uint length = 1;
    while (first + length < r.n && length <= CLSORT__EDGE_MOST_EQUAL_PREFIX
           && upper_at(r, first + length, low) == upper)
        length++;
    return length;
}

/* A work-group per tile. Lists the start and the length of each group of two or more elements with
   an equal prefix. Clears CLSORT__SKIP_PASSES if a group has more than
   CLSORT__EDGE_MOST_EQUAL_PREFIX elements. space: CLSORT_RADIX_TILE + 2 words. */
CLSORT_KERNEL void clsort_radix_prefixes(CLSORT_RADIX_ARGS, local ulong *space)
{
    const radix_t r = CLSORT_RADIX;
    local uint *list = (local uint *)space;
    const uint t = local_id(), low = *bits_left(r);
    const block_t b = take_block(r, (uint)get_group_id(0), low != 0);
    local uint2 *found = (local uint2 *)(space + 1);
    if (t == 0)
        list[0] = 0;
    local_barrier();
    for (uint i = t; i < b.size; i += CLSORT_GROUP) {
        const size_t at = (size_t)b.begin + i;
        const code_t upper = upper_at(r, at, low);
        if (at + 1 < r.n && upper_at(r, at + 1, low) == upper
            && (at == 0 || upper_at(r, at - 1, low) != upper))
            found[atomic_inc(&list[0])] = (uint2)((uint)at, count_equal_prefix(r, at, low));
    }
    local_barrier();
    if (t == 0)
        list[1] = atomic_add(prefixes_found(r), list[0]);
    local_barrier();
    for (uint i = t; i < list[0]; i += CLSORT_GROUP) {
        ((global uint2 *)r.alt.keys)[list[1] + i] = found[i];
        if (found[i].y > CLSORT__EDGE_MOST_EQUAL_PREFIX)
            atomic_and(&r.scratch[CLSORT__SKIP_PASSES], 0);
    }
}

//---- radix: equal prefixes are sorted [SWEEP.mends]
/* Sorts `length` elements with an equal prefix, from element `first` on, by insertion; stable. */
INLINE void sort_equal_prefix(radix_t r, uint first, uint length)
{
    for (uint i = first + 1; i < first + length; i++) {
        const item_t item = load_whole_item(r.target, r.codec, i);
        uint place = i;
        for (; place > first; place--) {
            const item_t before = load_whole_item(r.target, r.codec, place - 1);
            if (upper_bits(r, before.key, 0) <= upper_bits(r, item.key, 0))
                break;
            store_whole_item(r.target, r.codec, place, before);
        }
        if (place < i)
            store_whole_item(r.target, r.codec, place, item);
    }
}

/* Sorts the listed groups, each by one work-item. There may be any number of work-items. Does
   nothing if sweeps by all digits follow. */
CLSORT_KERNEL void clsort_radix_sort_prefixes(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    const uint found = r.scratch[CLSORT__SKIP_PASSES] ? *prefixes_found(r) : 0;
    for (size_t i = get_global_id(0); i < found; i += get_global_size(0)) {
        const uint2 equal = ((global const uint2 *)r.alt.keys)[i];
        sort_equal_prefix(r, equal.x, equal.y);
    }
}

//---- partition: by work-items [PARTITION.alone]
/* A work-item per block. */
CLSORT_KERNEL void clsort_partition_count(CLSORT_PARTITION_ARGS)
{
    code_t codes[CLSORT_DIGITS];
    const radix_t r = CLSORT_PARTITION(codes);
    const uint block = (uint)get_global_id(0);
    if (block >= blocks)
        return;
    for (uint d = 0; d < CLSORT_DIGITS; d++)
        codes[d] = splitter_code(splitters + splitters_at, d, splitter_count, r.codec);
    count_block(r, r.source, block, take_block(r, block, 1), r.digit);
}

/* One work-item turns the counts into places, and writes where parts begin. */
CLSORT_KERNEL void clsort_partition_scan(CLSORT_PARTITION_ARGS)
{
    const radix_t r = CLSORT_PARTITION(0);
    global uint *start = (global uint *)(starts + starts_at);
    const uint first = CLSORT_FIRST_PART(splitter_count);
    uint sum = 0;
    if (get_global_id(0) != 0)
        return;
    for (uint d = first; d < CLSORT_DIGITS; d++) {
        start[d - first] = sum;
        sum = place_digit(r, d, sum);
    }
    start[splitter_count + 1] = sum;
}

CLSORT_KERNEL void clsort_partition_scatter(CLSORT_PARTITION_ARGS)
{
    code_t codes[CLSORT_DIGITS];
    const radix_t r = CLSORT_PARTITION(codes);
    const uint block = (uint)get_global_id(0);
    uint next[CLSORT_DIGITS];
    if (block >= blocks)
        return;
    for (uint d = 0; d < CLSORT_DIGITS; d++) {
        codes[d] = splitter_code(splitters + splitters_at, d, splitter_count, r.codec);
        next[d] = block_table(r, block)[d];
    }
    move_block(r, r.source, r.target, take_block(r, block, 1), r.digit, next, CLSORT_STAGES(n));
}

//---- partition: by work-groups [PARTITION.group PARTITION.votes]
/* Counts the digits of each block, a work-group per block. The last block is counted first, so that
   the scatter finds the first blocks in caches. space: the splitters' codes, CLSORT_COUNT_WORDS + 4
   words. */
CLSORT_KERNEL void clsort_partition_count(CLSORT_PARTITION_ARGS, local ulong *space)
{
    local code_t *codes = (local code_t *)space;
    local uint *counters = (local uint *)(space + CLSORT_SPLITTER_ULONGS);
    radix_t r = CLSORT_PARTITION(codes);
    const uint block = blocks - 1 - (uint)get_group_id(0);
    const block_t b = take_block(r, block, 1);
    r.digit = load_splitters(codes, splitters + splitters_at, splitter_count, r.codec);
    clear_counters(counters);
#if CLSORT_FEW_VOTES
    count_lanes(r, b, counters);
#else
    seen_t seen = { 0, 0 };
    count_block(r, r.source, b, 0, 0, counters, &seen);
    local_barrier();
#endif
    for (uint d = local_id(); d < CLSORT_DIGITS; d += CLSORT_GROUP)
        radix_table(r, d)[block] = counter_sum(counters, d);
}

/* Moves each block, a work-group per block. The first work-group also writes where parts begin.
   space: the splitters' codes, then with votes CLSORT_STAGED_UNITS and CLSORT__FEW_TABLES units of
   16 bytes, without votes CLSORT__RADIX_TILE_WORDS words. */
CLSORT_KERNEL void clsort_partition_scatter(CLSORT_PARTITION_ARGS, local ulong2 *space)
{
    local code_t *codes = (local code_t *)space;
    radix_t r = CLSORT_PARTITION(codes);
    const uint block = (uint)get_group_id(0);
    const block_t b = take_block(r, block, 1);
    global uint *start = (global uint *)(starts + starts_at);
    if (block == 0 && local_id() == 0)
        start[splitter_count + 1] = n;
#if CLSORT_FEW_VOTES
    const uint next = begin_lane(r, block), part = local_id() - CLSORT_FIRST_PART(splitter_count);
    r.digit = load_splitters(codes, splitters + splitters_at, splitter_count, r.codec);
    if (block == 0 && part <= splitter_count)   /* wraps before the first part */
        start[part] = next;
    vote_block(make_votes(space + CLSORT_KEY_BYTES), r, b, next);
#else
    const tile_t tile = make_tile((local ulong *)space + CLSORT_SPLITTER_ULONGS);
    r.digit = load_splitters(codes, splitters + splitters_at, splitter_count, r.codec);
    begin_block(r, block, tile);
    for (uint p = local_id(); block == 0 && p <= splitter_count; p += CLSORT_GROUP)
        start[p] = tile.next[CLSORT_FIRST_PART(splitter_count) + p];
    for (uint done = 0; done < b.size; done += CLSORT_RADIX_TILE)
        scatter_tile(tile, advance(r.source, b.begin + done), r.target, r.codec, r.digit,
                     min(b.size - done, (uint)CLSORT_RADIX_TILE));
#endif   /* CLSORT_FEW_VOTES */
}

//---- buckets: elements are codes [HYBRID.group RUNS.buckets SAMPLES]
/* The ELEMENTS of buckets are codes. Where hybrid radix carries values, an element is a code and a
   value, and of equal codes the element with the lesser value comes first. Local memory has an
   element every 8, 12 or 16 bytes.
     GIVES_UP      1 if the passes must sort, since a cell is too heavy or codes are heavy
     HEAVIES_PART  heavy codes count if so great a part of the keys searched has one
     MOST_OVER     the most keys in all buckets above the capacity
     SPLIT_BYTES   bytes of what a tile stages: the codes; if carried, the values after them
     BUCKET_ITEMS  elements of a bucket that each work-item sorts; if carried, an option
     MOST_SECOND_DIGITS
                   of a range; if carried, an option */
#define CLSORT_ELEMENT code_t
#define CLSORT_ELEMENT_BYTES CLSORT_KEY_BYTES
#define CLSORT_TOP_ELEMENT CLSORT_TOP_CODE
#define CLSORT_CODE_OF(e) e
#define CLSORT_WITH_VALUE(code, from, i) code
#define CLSORT_BELOW(a, b) a < b
#define CLSORT_PICK(first, a, b) first ? a : b
#define CLSORT_BEFORE(t) t - 1
#define CLSORT_LESSER(a, b) min(a, b)
#define CLSORT_GREATER(a, b) max(a, b)
#define CLSORT_STORE(to, i, e, codec) store_key(to, i, decode(e, codec))
#define CLSORT_HYBRID_ALT CLSORT_ARRAY_OF(alt_buffer + alt_keys_at, alt_buffer, 0)
#define CLSORT_GIVES_UP(heavies, too_heavy) heavies == 0 && too_heavy
#define CLSORT_HEAVIES_PART CLSORT__EDGE_HEAVIES_PART
#define CLSORT_MOST_OVER(h) h.n / CLSORT__EDGE_OVER_PART
#define CLSORT_SPLIT_BYTES CLSORT_KEY_BYTES
#define CLSORT_BUCKET_ITEMS CLSORT__EDGE_BUCKET_ITEMS(CLSORT_KEY_BYTES)
#define CLSORT_MOST_SECOND_DIGITS CLSORT__HYBRID_MOST_SECOND_DIGITS(CLSORT_KEY_BYTES, CLSORT_WIDE)

//---- buckets: elements have values [HYBRID.carries]
typedef struct __attribute__((packed, aligned(CLSORT_KEY_BYTES == CLSORT_VALUE_BYTES ? 8 : 4))) {
    code_t code;
    unit_t value;
} element_t;
#define CLSORT_ELEMENT element_t
#define CLSORT_ELEMENT_BYTES (CLSORT_KEY_BYTES + CLSORT_VALUE_BYTES)
#define CLSORT_TOP_ELEMENT ((element_t){ CLSORT_TOP_CODE, ~(unit_t)0 })
#define CLSORT_CODE_OF(e) (e).code
#define CLSORT_WITH_VALUE(code, from, i) ((element_t){ code, *value_place(from, i) })
#define CLSORT_BELOW(a, b) is_below(a, b)
#define CLSORT_PICK(first, a, b) pick(first, a, b)
#define CLSORT_BEFORE(t) max(t, 1u) - 1   /* pick reads both */
#define CLSORT_LESSER(a, b) pick(is_below(b, a), b, a)
#define CLSORT_GREATER(a, b) pick(is_below(b, a), a, b)
#define CLSORT_STORE(to, i, e, codec) \
    (store_key(to, i, decode((e).code, codec)), *value_place(to, i) = (e).value)
#define CLSORT_HYBRID_ALT CLSORT_ARRAY(alt)
#define CLSORT_GIVES_UP(heavies, too_heavy) ((heavies) != 0 || (too_heavy))
#define CLSORT_HEAVIES_PART CLSORT__HYBRID_HEAVY_SAMPLE   /* any: they do not fit into a bucket */
#define CLSORT_MOST_OVER(h) 0
#define CLSORT_SPLIT_BYTES max(CLSORT_KEY_BYTES, CLSORT_VALUE_BYTES)

INLINE uint is_below(element_t a, element_t b)
{
    return a.code < b.code || (a.code == b.code && a.value < b.value);
}

/* Compilers keep elements in registers this way, but not where `? :` chooses among structs. */
INLINE element_t pick(uint first, element_t a, element_t b)
{
    const element_t e = { first ? a.code : b.code, first ? a.value : b.value };
    return e;
}

INLINE global unit_t *value_place(array_t a, size_t i) { return (global unit_t *)a.values + i; }

//---- buckets: order of codes [HYBRID RUNS.buckets SAMPLES]
INLINE void order_codes(CLSORT_ELEMENT *a, CLSORT_ELEMENT *b)
{
    const CLSORT_ELEMENT least = CLSORT_LESSER(*a, *b);
    *b = CLSORT_GREATER(*a, *b);
    *a = least;
}

/* EXTREMES: the least and the greatest of some codes. Each work-item puts its own extremes at
   own[0] and own[CLSORT_GROUP] in local memory. join_extremes then joins them pair by pair. */
INLINE void put_extremes(local code_t *own, code_t least, code_t most)
{
    own[0] = least;
    own[CLSORT_GROUP] = most;
}

/* Joins a work-item's extremes with the extremes of the work-item `step` further on. */
INLINE void join_extreme(local code_t *own, uint step)
{
    own[0] = min(own[0], own[step]);
    own[CLSORT_GROUP] = max(own[CLSORT_GROUP], own[CLSORT_GROUP + step]);
}

/* Joins the extremes that each work-item has put at extremes + local_id(). The least code of all
   comes to extremes[0], the greatest to extremes[CLSORT_GROUP]. With `twice`, joins a second set of
   extremes in the same way, from extremes + 2 * CLSORT_GROUP on. Called by all work-items; ends
   with a barrier. */
INLINE void join_extremes(local code_t *extremes, const uint twice)
{
    local code_t *own = extremes + local_id();
    #pragma unroll 1
    for (uint step = CLSORT_GROUP / 2; step > 0; step >>= 1) {
        local_barrier();
        if (local_id() < step) {
            join_extreme(own, step);
            if (twice)
                join_extreme(own + 2 * CLSORT_GROUP, step);
        }
    }
    local_barrier();
}

//---- buckets [HYBRID RUNS.buckets]
/* BUCKETS of bare keys, or of pairs as keys. One work-group sorts a bucket in local memory. A
   LINEAR MAP cuts a range of codes into parts of about equal length, and each part into bins of
   about equal length. The keys of a bucket are counted and then put into their bins. This leaves
   keys out of order inside bins only. If every bin has few keys, rounds of odd-even transposition
   put them in order, otherwise a bitonic network does. */
#define CLSORT_BUCKET_TILE (CLSORT_GROUP * CLSORT_BUCKET_ITEMS)
#define CLSORT_BUCKET_BINS_LOG2 (CLSORT_GROUP_LOG2 + CLSORT__HYBRID_OWN_BINS_LOG2)
#define CLSORT_OWN_BINS (1 << CLSORT__HYBRID_OWN_BINS_LOG2)
#define CLSORT_BUCKET_BINS (1 << CLSORT_BUCKET_BINS_LOG2)
#if CLSORT__HYBRID_OWN_BINS_LOG2 > 5
#error "the bins of a work-item lie side by side, without padding between them"
#elif CLSORT_GROUP_LOG2 > 8 || CLSORT_GROUP_LOG2 < CLSORT__HYBRID_LEAST_GROUP
#error "hybrid needs CLSORT_GROUP_LOG2 of CLSORT__HYBRID_LEAST_GROUP to 8"
#elif CLSORT_BUCKET_ITEMS & 1
#error "odd-even transposition needs an even CLSORT__EDGE_BUCKET_ITEMS"
#endif

//---- buckets: keys, or pairs as keys [HYBRID]
/* A key and a value of 4 bytes each are one code of 8 bytes: the key is its upper half, the value
   its lower half. */
INLINE code_t load_key(array_t a, size_t i)
{
    if (CLSORT_PAIRS_APART(a))
        return (code_t)((ulong)((global const uint *)a.keys)[i] << 32
                        | ((global const uint *)a.values)[i]);
    return *key_place(a, i);
}

/* Loads a key; of a pair only the key, with 0 in place of the value. */
INLINE code_t load_decider(array_t a, size_t i)
{
    if (CLSORT_PAIRS_APART(a))
        return (code_t)((ulong)((global const uint *)a.keys)[i] << 32);
    return load_key(a, i);
}

INLINE void store_key(array_t a, size_t i, code_t key)
{
    if (CLSORT_PAIRS_APART(a)) {
        ((global uint *)a.keys)[i] = (uint)((ulong)key >> 32);
        ((global uint *)a.values)[i] = (uint)key;
        return;
    }
    *key_place(a, i) = key;
}

//---- buckets: linear maps [HYBRID RUNS.buckets]
/* Cuts the codes from `low` on into parts of about equal length. A code's product is ((code - low)
   >> shift) * factor. Bits 31 and above of the product are the number of the part. The highest bits
   below bit 31 are the number of the bin inside the part. map_part subtracts `before` from the
   number of the part. With mul_hi in place of the product, splits took 18 and 31 % more time on an
   H200. */
typedef struct { code_t low; uint shift, factor, before; } linear_map_t;

CLSORT_NOINLINE_NV ulong map_quotient(ulong x, ulong by)
{
    return x / by;
}

/* The map that cuts low ... last into `parts` parts; if there are fewer codes than parts, each part
   has one code. The map drops at least `shift` low bits of a code. It drops more if the factor
   would otherwise be below 64: a small factor, rounded down, would make the last part much shorter
   than the others. */
INLINE linear_map_t make_map(code_t low, code_t last, uint parts, uint shift)
{
    const ulong span = (code_t)(last - low);
    linear_map_t map = { low, shift, 0, 0 };
    while (span >> map.shift >= min(1UL << 31, (ulong)parts << 25))
        map.shift++;
    const ulong width = (span >> map.shift) + 1;
    map.factor = (uint)map_quotient(min((ulong)parts, width) << 31, width);
    return map;
}

INLINE ulong map_product(linear_map_t map, code_t code)
{
    return (ulong)(uint)((code_t)(code - map.low) >> map.shift) * map.factor;
}

INLINE uint map_part(linear_map_t map, code_t code)
{
    return (uint)(map_product(map, code) >> 31) - map.before;
}

INLINE uint map_bin(linear_map_t map, code_t code)
{
    return (uint)(map_product(map, code) >> (31 - CLSORT_BUCKET_BINS_LOG2))
           & (CLSORT_BUCKET_BINS - 1);
}

/* The first code, up to `last`, whose product is at least parts << 31 >> bits. With bits 0, this is
   where part number `parts` begins. Otherwise it is where a bin begins; then 2^bits bins make a
   part, and `parts` counts bins. Parts are counted from the map's first one, without `before`. If
   there is no such code the result is last + 1, which wraps to 0 behind the highest code. */
INLINE code_t map_start(linear_map_t map, ulong parts, uint bits, code_t last)
{
    const ulong product = parts << 31 >> bits,
                x = map_quotient(product + map.factor - 1, map.factor);
    return x > (ulong)(code_t)(last - map.low) >> map.shift
               ? (code_t)(last + 1)
               : (code_t)(map.low + (code_t)((code_t)x << map.shift));
}

//---- buckets: equal codes [HYBRID.group RUNS.buckets]
/* one_code_parts: 1 if each part of a map has one code; one_code_bins: 1 if each bin has one
   code. */
INLINE uint one_code_parts(linear_map_t map)
{
    return map.shift == 0 && map.factor == 1u << 31;
}

INLINE uint one_code_bins(linear_map_t map)
{
    return map.shift == 0 && map.factor >= 1u << (31 - CLSORT_BUCKET_BINS_LOG2);
}

//---- buckets: equal codes have values [HYBRID.carries]
/* Elements of equal codes are sorted by their values, so no part or bin is spared. */
#define one_code_parts(map) 0
#define one_code_bins(map) 0

//---- buckets: bins [HYBRID RUNS.buckets]
/* The local memory of a bucket.
   - keys: the codes
   - bins: counters of bins; after the keys are placed, the border keys of work-items
   - sums: for scans
   - words: the words WORD_*; in merges of runs, splitters or shares follow */
typedef struct {
    local CLSORT_ELEMENT *keys;
    local uint *bins, *sums, *words;
} bucket_space_t;
enum { WORD_LONGEST, WORD_TAKEN, WORD_BIN, WORD_HEAVY, WORD_COLLECTED, WORD_UNORDERED };

/* 1: a work-item reads and writes its consecutive keys as vectors of 16 bytes. Such vectors of 8
   neighbouring work-items lie in different banks, so keys need no padding. */
#define CLSORT_KEY_VECTORS (CLSORT_ELEMENT_BYTES == 4 && CLSORT_BUCKET_ITEMS % 8 == 4)
#define CLSORT_KEY_SLOTS (CLSORT_BUCKET_TILE + (CLSORT_BUCKET_TILE >> CLSORT_KEY_PAD_LOG2))
#define CLSORT_BIN_SLOTS (CLSORT_BUCKET_BINS + (CLSORT_BUCKET_BINS >> 5))

/* The slot of key i of the bucket. */
INLINE uint key_slot(uint i)
{
    return CLSORT_KEY_VECTORS ? i : pad_slot(i, CLSORT_KEY_PAD_LOG2);
}

/* Loads the work-item's CLSORT_BUCKET_ITEMS consecutive keys. */
INLINE void take_own_keys(local const CLSORT_ELEMENT *keys, CLSORT_ELEMENT *key)
{
    const uint first = local_id() * CLSORT_BUCKET_ITEMS;
#if CLSORT_KEY_VECTORS
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m += 4)
        vstore4(((local const uint4 *)(keys + first))[m / 4], 0, key + m);
#else
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)
        key[m] = keys[pad_slot(first + m, CLSORT_KEY_PAD_LOG2)];
#endif
}

INLINE void put_own_keys(local CLSORT_ELEMENT *keys, const CLSORT_ELEMENT *key)
{
    const uint first = local_id() * CLSORT_BUCKET_ITEMS;
#if CLSORT_KEY_VECTORS
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m += 4)
        ((local uint4 *)(keys + first))[m / 4] = vload4(0, key + m);
#else
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)
        keys[pad_slot(first + m, CLSORT_KEY_PAD_LOG2)] = key[m];
#endif
}

INLINE bucket_space_t bucket_space(local ulong2 *space)
{
    local uint *bins = (local uint *)space
                       + (CLSORT_KEY_SLOTS * CLSORT_ELEMENT_BYTES + 7) / 8 * 2,
               *sums = bins + CLSORT_BIN_SLOTS + CLSORT__HYBRID_SPARE_BINS;
    const bucket_space_t l = { (local CLSORT_ELEMENT *)space, bins, sums, sums + 2 * CLSORT_GROUP };
    return l;
}

/* Clears the bins and the words. Called by all work-items; ends with a barrier. */
INLINE void clear_bucket(bucket_space_t l)
{
    clear_words(l.bins, CLSORT_BIN_SLOTS + CLSORT__HYBRID_SPARE_BINS);
    if (local_id() < 8)
        l.words[local_id()] = 0;
    local_barrier();
}

/* Replaces the counts of bins by the places where bins begin. Returns the number of keys in the
   longest bin. Of each work-item's bins only the first `looked_at` are considered; the result is 0
   if none of these has 2 keys. Called by all work-items after the counts and a barrier; ends with a
   barrier. */
INLINE uint place_bins(bucket_space_t l, const uint looked_at)
{
    place_counts(l.bins + pad_slot(local_id() * CLSORT_OWN_BINS, 5), CLSORT_OWN_BINS, looked_at, 1,
                 l.sums, &l.words[WORD_LONGEST]);
    local_barrier();
    return l.words[WORD_LONGEST];
}

//---- buckets: bins are transposed [HYBRID RUNS.buckets]
/* Rounds of odd-even transposition over the whole bucket. A round orders keys 2i and 2i + 1, for
   all i, then keys 2i + 1 and 2i + 2. A work-item orders its own keys in registers, and exchanges
   its first and last key with its neighbours through local memory. Called by all work-items after
   the keys are placed and a barrier; needs a barrier after. */
INLINE void transpose_odd_even(bucket_space_t l, uint rounds)
{
    const uint t = local_id(), most = CLSORT_BUCKET_ITEMS - 1;
    local CLSORT_ELEMENT *borders = (local CLSORT_ELEMENT *)l.bins;
    CLSORT_ELEMENT key[CLSORT_BUCKET_ITEMS];
    take_own_keys(l.keys, key);
    for (uint round = 0; round < rounds; round++) {
        local CLSORT_ELEMENT *lower = borders + round % 2 * 2 * CLSORT_GROUP,
                             *upper = lower + CLSORT_GROUP;
        #pragma unroll
        for (uint m = 0; m < most; m += 2)
            order_codes(&key[m], &key[m + 1]);
        lower[t] = key[0];
        upper[t] = key[most];
        #pragma unroll
        for (uint m = 1; m < most; m += 2)
            order_codes(&key[m], &key[m + 1]);
        local_barrier();
        key[0] = CLSORT_PICK(t > 0, CLSORT_GREATER(key[0], upper[CLSORT_BEFORE(t)]), key[0]);
        key[most] = CLSORT_PICK(t + 1 < CLSORT_GROUP, CLSORT_LESSER(key[most], lower[t + 1]),
                                key[most]);
    }
    put_own_keys(l.keys, key);
}

//---- buckets: network [HYBRID RUNS.buckets]
/* Puts the codes at places a and b, a < b, in order. Does nothing if b is not below `size`. */
INLINE void order_places(bucket_space_t l, uint a, uint b, uint size)
{
    if (b >= size)
        return;
    const uint i = key_slot(a), j = key_slot(b);
    const CLSORT_ELEMENT x = l.keys[i], y = l.keys[j];
    l.keys[i] = CLSORT_LESSER(x, y);
    l.keys[j] = CLSORT_GREATER(x, y);
}

/* Sorts the bucket by the normalised bitonic network. Called by all work-items; begins after a
   barrier and ends with one. */
INLINE void sort_by_network(bucket_space_t l, uint size)
{
    for (uint run = 1; run < size; run *= 2) {
        for (uint p = local_id(); p / run * 2 * run < size; p += CLSORT_GROUP)
            order_places(l, p / run * 2 * run + p % run,
                         p / run * 2 * run + 2 * run - 1 - p % run, size);
        local_barrier();
        for (uint step = run / 2; step > 0; step /= 2) {
            for (uint p = local_id(); p / step * 2 * step < size; p += CLSORT_GROUP)
                order_places(l, p / step * 2 * step + p % step,
                             p / step * 2 * step + p % step + step, size);
            local_barrier();
        }
    }
}

/* 1 if some keys are out of order. Called by all work-items; begins after a barrier and ends with
   one. */
INLINE uint is_unordered(bucket_space_t l)
{
    const uint first = local_id() * CLSORT_BUCKET_ITEMS;
    uint found = 0;
    #pragma unroll 4
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {
        const uint next = min(first + m + 1, CLSORT_BUCKET_TILE - 1u);
        found |= CLSORT_BELOW(l.keys[key_slot(next)], l.keys[key_slot(first + m)]);
    }
    if (found)
        atomic_or(&l.words[WORD_UNORDERED], 1);
    local_barrier();
    return l.words[WORD_UNORDERED];
}

/* Sorts a bucket whose keys lie in their bins. longest: the number of keys in the longest bin of
   several codes; 0 or 1 if the keys are already in order. Long bins often hold only equal keys,
   such as floats made from few bits. So if a bin is long, the order of the keys is checked first.
   Called by all work-items; begins after a barrier and ends with one. */
INLINE void order_bins(bucket_space_t l, uint size, uint longest)
{
    if (longest > 1
        && (longest <= CLSORT__EDGE_MOST_TRUSTED || is_unordered(l))) {
        if (longest <= (CLSORT_RUN_BUCKETS ? 2 : 1) * CLSORT__EDGE_MOST_TRANSPOSED)
            transpose_odd_even(l, (longest + 1) / 2);
        else
            sort_by_network(l, size);
    }
    local_barrier();
}

//---- buckets: bins of warps [HYBRID RUNS.buckets]
/* Returns a mask of the warp's lanes that have the same bin as lane 0, or 0 if warps are not known.
   *first becomes that bin. Called by whole warps. */
INLINE uint first_peers(uint bin, uint *first)
{
    uint peers = 0;
#if CLSORT_WARPS
    __asm__ volatile("{ .reg .pred p; shfl.sync.idx.b32 %1, %2, 0, 31, -1;"
                     " setp.eq.u32 p, %1, %2; vote.sync.ballot.b32 %0, p, -1; }"
                     : "=r"(peers), "=r"(*first)
                     : "r"(bin));
#endif
    return peers;
}

/* 1 if at least 1 / part of the warp's lanes have the same bin, or digit, as lane 0. Then atomics
   of these lanes on one counter would wait for each other. Called by whole warps. */
INLINE uint lanes_crowd(uint bin, const uint part)
{
    uint first;
    return popcount(first_peers(bin, &first)) >= CLSORT__WARP / part;
}

/* Adds 1 to a bin's counter. Returns the key's rank in the bin, the number of keys counted before
   it. With `crowds`, lane 0 adds, in one atomic, the number of all lanes that have its bin. The
   other lanes add 1 each. In hybrid radix they do so in the same instruction as lane 0. In merges
   of runs they do so in a second instruction, which lane 0 does not wait for. The second way takes
   1 / 1.2 of the time in merges, but 1.1 times as long in hybrid radix, for sorted keys. Called by
   whole warps. */
INLINE uint rank_one(local uint *counters, uint bin, const uint crowds)
{
#if CLSORT_WARPS
    if (crowds) {
        const uint lane = local_id() % CLSORT__WARP;
        uint first, base = 0;
        const uint peers = first_peers(bin, &first);
        if (lane == 0 || (!CLSORT_RUN_BUCKETS && bin != first))
            base = atomic_add(&counters[bin], lane == 0 ? popcount(peers) : 1u);
        const uint all = lane_value(base, 0);
        if (!CLSORT_RUN_BUCKETS || bin == first)
            return bin == first ? all + popcount(peers & ((1u << lane) - 1)) : base;
    }
#endif
    return atomic_inc(&counters[bin]);
}

//---- buckets: bins of splitters [HYBRID RUNS.buckets]
INLINE local code_t *splitters_of(bucket_space_t l)
{
    return (local code_t *)(l.words + 8);
}

/* The bin of a code. Each work-item has one splitter and CLSORT_OWN_BINS bins, and splitters
   ascend. Work-item i's bins take codes above splitter i - 1, up to splitter i. Its last bin takes
   codes equal to splitter i. Its other bins cut the codes between both splitters into about equal
   parts. */
INLINE uint splitter_bin(local const code_t *splitters, code_t code)
{
    uint i = 0;
    #pragma unroll
    for (uint step = CLSORT_GROUP / 2; step > 0; step >>= 1)
        i += splitters[i + step - 1] < code ? step : 0;
    const code_t high = splitters[i], low = i ? splitters[i - 1] : 0;
    const ulong span = (code_t)(high - low);
    const uint shift = 32 - min((uint)clz(span), 32u);   /* all devices convert words to floats */
    const float part = (float)(uint)((code_t)(code - low) >> shift) / (float)(uint)(span >> shift);
    const uint inside = min((uint)(part * (CLSORT_OWN_BINS - 1)), CLSORT_OWN_BINS - 2u);
    return i * CLSORT_OWN_BINS + (code == high ? CLSORT_OWN_BINS - 1u : inside);
}

//---- buckets: bins are filled [HYBRID RUNS.buckets]
/* The number in the bucket of a work-item's first key. Its further keys follow at distances of
   CLSORT_NEXT_ITEM. In merges of runs a warp's keys are consecutive, so that they come from few
   shares. */
INLINE uint first_item(void)
{
    const uint t = local_id(), warp = CLSORT__WARP;
    return CLSORT_RUN_BUCKETS ? t / warp * (warp * CLSORT_BUCKET_ITEMS) + t % warp : t;
}
#define CLSORT_NEXT_ITEM (CLSORT_RUN_BUCKETS ? CLSORT__WARP : CLSORT_GROUP)

/* The number of a work-item's m-th key. */
INLINE uint bucket_item(uint m)
{
    return first_item() + m * CLSORT_NEXT_ITEM;
}

/* 1: a work-item loads the places of all its keys before it stores the first key. Merges of runs do
   not: they took 12 % more time this way on an H200. */
#define CLSORT_PLACES_FIRST !CLSORT_RUN_BUCKETS

/* Puts the keys into their bins. rank[m]: in the lower half the rank of key m in its bin, in the
   upper half the slot of the bin. Places from `size` on get the top code. Called by all work-items
   after place_bins; ends with a barrier. */
INLINE void fill_bins(bucket_space_t l, const CLSORT_ELEMENT *key, uint *rank, uint size)
{
    const uint first = first_item();
    #pragma unroll
    for (uint m = 0; m < (CLSORT_PLACES_FIRST ? CLSORT_BUCKET_ITEMS : 0); m++)
        rank[m] = l.bins[rank[m] >> 16] + (rank[m] & 0xFFFF);
    if (CLSORT_RUN_BUCKETS && first + (CLSORT_BUCKET_ITEMS - 1) * CLSORT_NEXT_ITEM < size) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)
            l.keys[key_slot(l.bins[rank[m] >> 16] + (rank[m] & 0xFFFF))] = key[m];
    } else {
        #pragma unroll
        for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {
            const uint i = first + m * CLSORT_NEXT_ITEM,
                       place = CLSORT_PLACES_FIRST ? rank[m]
                                                   : l.bins[rank[m] >> 16] + (rank[m] & 0xFFFF),
                       at = i < size ? place : i;
            l.keys[key_slot(at)] = CLSORT_PICK(i < size, key[m], CLSORT_TOP_ELEMENT);
        }
    }
    local_barrier();
}

/* A bin is found by a map, or by the splitters in local memory. */
enum { OF_MAP, OF_SPLITTERS };

/* Counts the keys of each bin, and sets rank[] as fill_bins takes it. of: OF_MAP or OF_SPLITTERS.
   whole: 1 if all keys of the work-item are among the first `size`. crowds: see rank_one. Called by
   whole warps after clear_bucket. */
INLINE void count_bins(bucket_space_t l, const CLSORT_ELEMENT *key, uint *rank, uint size,
                       linear_map_t map, const uint of, const uint whole, const uint crowds)
{
    const uint first = first_item(),
               spare = CLSORT_BIN_SLOTS + local_id() % CLSORT__HYBRID_SPARE_BINS;
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {
        const uint inside = whole || first + m * CLSORT_NEXT_ITEM < size,
                   own = of == OF_MAP ? map_bin(map, CLSORT_CODE_OF(key[m]))
                                      : splitter_bin(splitters_of(l), CLSORT_CODE_OF(key[m])),
                   bin = inside ? pad_slot(own, 5) : spare;
        rank[m] = rank_one(l.bins, bin, crowds) | bin << 16;
    }
}

/* Sorts the first `size` codes of a bucket from the work-items' registers into l.keys. Called by
   all work-items with the local memory free; ends with a barrier. */
INLINE void sort_bins(bucket_space_t l, const CLSORT_ELEMENT *key, uint size, linear_map_t map)
{
    uint rank[CLSORT_BUCKET_ITEMS];   /* as fill_bins takes it */
    clear_bucket(l);
    count_bins(l, key, rank, size, map, OF_MAP, 0, 0);
    local_barrier();
    const uint longest = place_bins(l, CLSORT_OWN_BINS);
    fill_bins(l, key, rank, size);
    order_bins(l, size, one_code_bins(map) ? 0 : longest);
}

//---- buckets: bins of runs [RUNS.buckets]
/* Takes one key of each work-item as a splitter, and sorts the splitters. The last splitter is
   replaced by the top code, so that no code lies above all splitters. Called by all work-items;
   ends with a barrier. */
INLINE void take_splitters(bucket_space_t l, const code_t *key)
{
    const uint t = local_id();
    local code_t *splitters = splitters_of(l);
    code_t own = key[0];
    uint place = 0;
    #pragma unroll
    for (uint m = 1; m < CLSORT_BUCKET_ITEMS; m++)
        own = t % CLSORT_BUCKET_ITEMS == m ? key[m] : own;
    l.keys[t] = own;
    local_barrier();
    #pragma unroll 8
    for (uint i = 0; i < CLSORT_GROUP; i++)
        place += l.keys[i] < own || (l.keys[i] == own && i < t);
    splitters[place] = place + 1 < CLSORT_GROUP ? own : CLSORT_TOP_CODE;
    local_barrier();
}

/* Counts the keys of each bin. A warp checks once, before its first key, whether all its keys exist
   and whether its first keys crowd into one bin. Called by all work-items with the bucket clear;
   ends with a barrier. */
INLINE void count_run_bins(bucket_space_t l, const code_t *key, uint *rank, uint size,
                           linear_map_t map, const uint of)
{
    const uint warp_end = (local_id() / CLSORT__WARP + 1) * (CLSORT__WARP * CLSORT_BUCKET_ITEMS),
               bin = of == OF_MAP ? map_bin(map, key[0]) : splitter_bin(splitters_of(l), key[0]),
               crowds = lanes_crowd(bin, CLSORT__EDGE_BINS_CROWD);
    if (of == OF_MAP && warp_end <= size && !crowds)
        count_bins(l, key, rank, size, map, of, 1, 0);
    else
        count_bins(l, key, rank, size, map, of, 0, crowds);
    local_barrier();
}

//---- buckets: runs are sorted [RUNS.buckets]
/* Sorts `size` codes of least ... most from the work-items' registers into l.keys. Work-items that
   have fewer codes hold copies of the last code instead. First the bins have equal lengths. If one
   of them gets too many keys, splitters bound the bins instead. Called by all work-items with the
   bucket clear; ends with a barrier. */
INLINE void sort_tile_codes(bucket_space_t l, const code_t *key, uint size, code_t least,
                            code_t most)
{
    const linear_map_t map = make_map(least, most, 1, 0);
    uint rank[CLSORT_BUCKET_ITEMS];
    count_run_bins(l, key, rank, size, map, OF_MAP);
    uint longest = place_bins(l, CLSORT_OWN_BINS);
    longest = one_code_bins(map) ? 0 : longest;
    local_barrier();
    if (!CLSORT_BRANCH_BARRIERS || longest > CLSORT__EDGE_RUNS_LONG_BIN) {
        take_splitters(l, key);
        clear_bucket(l);
        count_run_bins(l, key, rank, size, map, OF_SPLITTERS);
        longest = place_bins(l, CLSORT_OWN_BINS - 1);
    }
    fill_bins(l, key, rank, size);
    order_bins(l, size, longest);
}

INLINE void store_tile_codes(bucket_space_t l, array_t to, codec_t codec, uint size)
{
    if (keys_are_codes(codec)) {
        #pragma unroll 8
        for (uint i = local_id(); i < size; i += CLSORT_GROUP)
            *key_place(to, i) = l.keys[key_slot(i)];
    } else {
        for (uint i = local_id(); i < size; i += CLSORT_GROUP)
            *key_place(to, i) = decode(l.keys[key_slot(i)], codec);
    }
}

//---- buckets: runs [RUNS.buckets]
/* The shares of a work-group's tile. Share k comes from run k.
   - before[k]: the number of elements of shares 0 ... k - 1. Elements before[k] ... before[k + 1] -
     1 of the tile are share k
   - address[k]: element i of the tile, if it is in share k, lies i keys behind this address
   - extremes: the first code of each share, then the last code of each share
   - splits: the split of the tile, then the split of the next tile */
typedef struct {
    local ulong *address;
    local code_t *extremes;
    local uint *before, *splits;
} bare_shares_t;

INLINE bare_shares_t bare_shares(bucket_space_t l)
{
    local ulong *address = (local ulong *)(l.words + 8), *extremes = address + CLSORT__MOST_RUNS;
    local uint *before = (local uint *)(extremes + 2 * CLSORT__MOST_RUNS);
    const bare_shares_t s = { address, (local code_t *)extremes, before,
                              before + CLSORT__MOST_RUNS + 1 };
    return s;
}

/* Finds the shares of a tile of up to `size` elements. Returns the number of elements of all
   shares. run: for work-item t, run t. Called by all work-items with the splits in s.splits; ends
   with a barrier. */
INLINE uint find_bare_shares(bare_shares_t s, array_t run, uint size)
{
    const uint t = local_id();
    uint sum = 0;
    for (uint k = 0; k < (t <= CLSORT__MOST_RUNS ? t : 0); k++)
        sum += run_share(s.splits[k], s.splits[k + CLSORT__MOST_RUNS], size - sum);
    if (t <= CLSORT__MOST_RUNS)
        s.before[t] = sum;
    if (t < CLSORT__MOST_RUNS)
        s.address[t] = (ulong)(size_t)run.keys + ((ulong)s.splits[t] - sum) * CLSORT_KEY_BYTES;
    local_barrier();
    return s.before[CLSORT__MOST_RUNS];
}

/* The key of element i of the tile, which lies in the share with this address. */
INLINE code_t share_key(ulong address, uint i)
{
    return *(global const code_t *)(size_t)(address + (ulong)i * CLSORT_KEY_BYTES);
}

/* Loads the work-item's keys of a tile of `size` elements. In place of keys beyond the end it loads
   the last key. */
INLINE void load_bare_shares(bare_shares_t s, code_t *key, uint size)
{
    const uint first = min(bucket_item(0), size - 1);
    uint k = 0;
    #pragma unroll
    for (uint step = CLSORT__MOST_RUNS / 2; step > 0; step /= 2)
        k += s.before[k + step] <= first ? step : 0;
    uint end = s.before[k + 1];
    ulong address = s.address[k];
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {
        const uint i = min(bucket_item(m), size - 1);
        while (i >= end) {
            end = s.before[++k + 1];
            address = s.address[k];
        }
        key[m] = share_key(address, i);
    }
}

/* Writes the extremes of the shares. For an empty share, the first code is the top code and the
   last code is 0: these change no minimum and no maximum. Called by all work-items with the shares
   found; needs a barrier after. */
INLINE void write_extremes(bare_shares_t s, codec_t c)
{
    const uint t = local_id(), k = t % CLSORT__MOST_RUNS, last = t / CLSORT__MOST_RUNS,
               begin = s.before[k], end = s.before[k + 1];
    if (t < 2 * CLSORT__MOST_RUNS)
        s.extremes[t] = begin < end ? encode(share_key(s.address[k], last ? end - 1 : begin), c)
                     : last      ? 0
                                 : CLSORT_TOP_CODE;
}

/* The least and the greatest code of the tile. Called after write_extremes and a barrier. */
INLINE void read_extremes(bare_shares_t s, code_t *least, code_t *most)
{
    *least = CLSORT_TOP_CODE;
    *most = 0;
    #pragma unroll
    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {
        *least = min(*least, s.extremes[k]);
        *most = max(*most, s.extremes[k + CLSORT__MOST_RUNS]);
    }
}

/* Each work-group sorts a tile of bare keys as a bucket. Equal keys look the same, so they may be
   stored in any order. space: as for clsort_hybrid_buckets, then CLSORT__BARE_SHARE_WORDS words, or
   a code for each work-item if that is more. */
CLSORT_KERNEL void clsort_runs_pass(CLSORT_RUNS_ARGS, CLSORT_ARRAY_ARGS(target),
                                    global uchar *splits, ulong splits_at, uint n, uint tile,
                                    uint slack, local ulong2 *space)
{
    CLSORT_PICK_RUN(own, local_id());
    const array_t target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const bucket_space_t l = bucket_space(space);
    const bare_shares_t s = bare_shares(l);
    code_t code[CLSORT_BUCKET_ITEMS], least, most;
    const merged_tile_t merged = take_merged_tile(s.splits, splits + splits_at, tile, slack, n);
    const uint size = find_bare_shares(s, own.array, merged.size);
    if (size == 0)
        return;
    load_bare_shares(s, code, size);
    write_extremes(s, codec);
    clear_bucket(l);
    read_extremes(s, &least, &most);
    if (!keys_are_codes(codec)) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)
            code[m] = encode(code[m], codec);
    }
    sort_tile_codes(l, code, size, least, most);
    store_tile_codes(l, advance(target, merged.begin), codec, size);
}

//---- hybrid [HYBRID]
/* HYBRID RADIX sorts bare keys, pairs, and keys with values, from the top digit down. Equal bare
   keys cannot be told apart, so no pass has to be stable: a local atomic ranks a key in its tile,
   and a global atomic reserves places for all keys of a tile with one digit. No work-group waits
   for another, so this runs on every device.

   The first split moves keys to 256 RANGES of codes. Each range has about equally many keys, and
   its number is a key's first digit. To choose the ranges, a sample of the keys is taken. The codes
   from a little below the sample to a little above it are cut into 16256 CELLS of equal length. A
   range is a few consecutive cells. The codes below all cells are a range, too, and so are the
   codes above them.
     A GAP: keys that are floats of both signs have few codes near 0, which is the middle of all
   codes. If the sample has no code in a stretch around the middle, and the stretch is longer than
   the rest of the sample's span, then the stretch becomes one cell, and this cell is a range.
     CELL GROUPS: if the sample is about flat, has no gap and no heavy codes, each range is 64
   cells. A multiplication and a shift then give a key's range, without a table. Only split reads
   the table of cells, for keys of the last, partial tile.

   A range is cut into parts of equal length. The number of a part is the SECOND DIGIT of its keys.
   The keys of one part are a BUCKET. A work-group sorts a bucket in local memory: it cuts the
   bucket's codes into bins of equal length, and puts the keys into their bins by counting. If no
   bin has many keys, rounds of odd-even transposition then sort all bins; else a bitonic network
   sorts the bucket.

     sample     copies a sample of 2^14 keys, or all keys, to alt
     cells      one work-group: makes cells and ranges, marks cells that begin a range
     count      counts the keys of each range, and, if counted ahead,
                of each second digit of a cell group                  reads keys
     ranges     one work-group: places the ranges, chooses their second digits
     split      moves keys to their ranges, in alt                    reads and writes keys
     recount    counts the second digits that were not counted ahead  reads keys
     starts     a work-group for each range: places its buckets, lists buckets to sort
     resplit    moves keys to their buckets, in target                reads and writes keys
     buckets    sorts the listed buckets, up to the capacity          reads and writes keys
     long       sorts buckets above the capacity, in portions that fit into local memory. For each
                portion it reads the whole bucket again

   A PAIR, of a key and a value of 4 bytes each, is sorted as one code of 8 bytes: the key above the
   value. So equal keys are sorted by their values. Pairs are sorted here only if that order is
   allowed: the order of equal keys is free, or values are ascending indices. The source and the
   target have keys and values in separate arrays; alt has pairs of 8 bytes. The keys must be spread
   about evenly, over at least 2^24 codes. Then the ranges can be counted without values, and a bin
   has few equal keys. The passes sort all other pairs.

   CARRIED VALUES: keys of 8 bytes with values of 4 or 8, and keys of 4 bytes with values of 8, have
   two arrays everywhere. Keys alone decide where elements move, so any keys may be sorted; only
   buckets compare values, of equal keys. Elements cannot be counted instead of moved, so the passes
   sort if the sample has a heavy code, or if one bucket is above the capacity. Keys of 8 bytes with
   values of 4 move 80 bytes an element, or 88 if second digits are counted again: at 4.8 TB/s, as
   an H200 has, at least 0.018, 0.28 and 4.9 ms for 2^20, 2^24 and 2^28. Eight sweeps move 200.

   A HEAVY code is one that about 1 / 170 of the keys have, or more. It is a range of its own. Its
   keys are counted but never moved. Instead resplit writes as many copies of the code as were
   counted; if there is no resplit, buckets does. Heavy codes are used only if at least half of the
   keys have a heavy code: with fewer such keys they cost more time than they save.

   KEYS IN ORDER (bare keys only): if each work-item of `cells` sees codes of the sample that
   ascend, or descend, `count` also compares each key with the next one. If all of them are in that
   order, split copies the keys from the source to the target, or mirrors them, and the kernels
   behind it end at once.

   If keys are few, each range is one bucket, and the kernels recount, starts and resplit are not
   launched. The table shows the costs for n keys of B bytes and work-groups of 256. It leaves out
   the launches of the passes, which end at once:

     n up to 655,000 (B = 8: 393,000)        7 launches    5 n B bytes of global memory
     n up to 9 * 2^27 (B = 8: 5 * 2^26)      10 launches   8 n B bytes, or 7 n B if second
                                                           digits are counted ahead
     carried values of V bytes               as above      n (8 B + 6 V), or n (7 B + 6 V)
     above                                   only the passes

     decision                        taken by, and kept in                read by
     cell groups                     cells, in the head of the tables     count to split, starts
     gap                             cells, in the head                   count, ranges, split
     heavy codes                     cells, in the head; then each range  count to resplit
     map of the cells                cells, in the head                   count to long
     second digits counted ahead     cells; ranges may revoke it          count to long, not split
     a range's second digits         ranges, in the range                 recount to long
     second digits joined in twos    starts, in the range's factor        resplit to long
     keys are in order               cells; count may revoke it           count to ranges
     passes sort instead, or none    SKIP_PASSES, see below               all but starts

   THE PASSES are another radix sort, enqueued behind the hybrid kernels: sweeps, or the passes of
   radix-portable. While the word SKIP_PASSES is 1, hybrid radix sorts, and the passes end at once.
   If it is 2 or 3, the keys are in order: the word is 1 + ORDER. If a hybrid kernel clears the
   word, the hybrid kernels behind it end at once (starts still writes tables), and the passes sort
   the source, which is unchanged. The word is cleared

     by cells    if one cell has too many keys of the sample and no heavy code is found; if ranges
                 need more second digits than they may have; for pairs, also if the sample is not
                 flat or spans few codes; for carried values, also if a code is heavy
     by ranges   if a counter of 16 bits has overflowed; if a range has too many keys, unless it is
                 a heavy code's range or each of its codes has its own second digit
     by ranges and starts
                 if one bucket has too many keys, or all buckets above the capacity together do

   In three of these cases hybrid radix would sort wrongly: a counter has overflowed, ranges of
   pairs are not cell groups, or a bucket with carried values is above the capacity. In all others
   the passes are only faster: hybrid radix sorts buckets of any size and content correctly.

   Idea: E. Stehle and H.-A. Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs,
   2017; samples and ranges as in N. Leischner, V. Osipov, P. Sanders, GPU Sample Sort, 2010. */
/* Arguments of every kernel. The tables of the passes begin at `scratch`.
     tables          words from there to the tables of hybrid radix
     second_digits   the most second digits of a range; 0 if each range is one bucket
     group_digits    the second digits of each cell group, if `count` counts them together with the
                     ranges; 0 if it never does */
#define CLSORT_HYBRID_ARGS \
    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \
        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint tables, \
        uint second_digits, uint group_digits, local ulong2 *space
#define CLSORT_HYBRID \
    { \
        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_HYBRID_ALT, CLSORT_CODEC, \
            (global uint *)(scratch + scratch_at) + CLSORT__SKIP_PASSES, \
            (global uint *)(scratch + scratch_at) + tables, \
            (global uint *)(scratch + scratch_at) + tables + CLSORT__HYBRID_NEXT_AT, \
            (global uint *)(scratch + scratch_at) + tables + CLSORT__HYBRID_SECOND_DIGITS_AT, \
            CLSORT_COUNT(n), second_digits, group_digits \
    }
typedef struct {
    array_t source, target, alt;
    codec_t codec;
    global uint *skip_passes, *tables;
    global uint *next, *buckets;    /* see "The tables" below */
    uint n, second_digits, group_digits;
} hybrid_t;

/* The tables, in this order, in words:
     head          CLSORT__HEAD_*
     masks         which cells begin a range
     next          a word for each range: the count of its keys; from clsort_hybrid_ranges on the
                   place of its next key; after split its end
     ranges        RANGE_*
     heavy codes   HEAVY_*
     buckets       a word for each second digit of each range, used like `next` */
enum { RANGE_LOW, RANGE_LAST = 2, RANGE_SHIFT = 4, RANGE_FACTOR, RANGE_TILES, RANGE_HEAVY };
enum { HEAVY_CODE, HEAVY_DIGIT = 2 };

INLINE global uint *hybrid_range(hybrid_t h, uint digit)
{
    return h.tables + CLSORT__HYBRID_RANGES_AT + digit * CLSORT__HYBRID_RANGE_WORDS;
}

INLINE global uint *hybrid_heavy(hybrid_t h, uint number)
{
    return h.tables + CLSORT__HYBRID_HEAVIES_AT + number * CLSORT__HYBRID_HEAVY_WORDS;
}

/* 1 if hybrid radix sorts; 0 if the passes sort, or if there are no keys, or if they are in
   order. */
#define hybrid_sorts(h) ((h).n != 0 && *(h).skip_passes == 1)

/* The word ORDER of the head. */
enum { ORDER_NONE, ORDER_ASCENDS, ORDER_DESCENDS };

/* The list of the buckets to sort: their numbers. The head's word CLSORT__HEAD_LISTED is its
   length. The list overlays the tables of the passes: skipped passes do not read them. */
INLINE global uint *hybrid_list(hybrid_t h)
{
    return h.skip_passes + 1;
}

//---- hybrid: sample [HYBRID]
#define CLSORT_CELL_GROUPS (CLSORT__HYBRID_DIGITS - 2)
#define CLSORT_CELL_GROUP (1 << CLSORT__HYBRID_CELL_GROUP_LOG2)
#define CLSORT_INNER_CELLS (CLSORT_CELL_GROUPS * CLSORT_CELL_GROUP)
#define CLSORT_LAST_CELL (CLSORT_INNER_CELLS + 1)
#define CLSORT_CELL_WORDS (CLSORT__HYBRID_CELLS / 2)
#define CLSORT_OWN_CELLS (CLSORT__HYBRID_CELLS / CLSORT_GROUP)
#define CLSORT_CELL_MASKS (CLSORT__HYBRID_CELLS / CLSORT__HYBRID_MASK_CELLS)
#if CLSORT_LAST_CELL >= CLSORT__HYBRID_CELLS
#error "the cell groups, and a cell on either side of them, must be cells"
#elif 2 * CLSORT_GROUP < 2 * CLSORT__EDGE_HEAVIES
#error "the extremes of work-items have room for heavy codes twice"
#endif

INLINE uint sample_size(hybrid_t h)
{
    return min(h.n, 1u << CLSORT__HYBRID_SAMPLE_LOG2);
}

/* Copies the sample to alt: one key of each of 2^14 equal parts of the source, at a pseudo-random
   place, or all keys if they are few. Clears the counts of second digits. Any number of
   work-groups. */
CLSORT_KERNEL void clsort_hybrid_sample(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    const uint size = sample_size(h);
    for (uint i = (uint)get_global_id(0); i < CLSORT__HYBRID_DIGITS * second_digits;
         i += (uint)get_global_size(0))
        h.buckets[i] = 0;
    for (uint i = (uint)get_global_id(0); i < size; i += (uint)get_global_size(0)) {
        const uint noise = (i + 1) * 0x9E3779B9u, jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;
        const ulong place = (ulong)i * h.n + ((ulong)jitter * h.n >> 32);
        store_key(h.alt, i,
                  load_key(h.source, size == h.n ? i : place >> CLSORT__HYBRID_SAMPLE_LOG2));
    }
}

/* A gap. No key of the sample has a code of low ... end - 1, and these codes share a cell.
   fold_code removes `size` of them, so that this cell is as long as the others. Without a gap low
   is end. With keys of 8 bytes, low, end and size are multiples of CLSORT_GAP_STEP. Cells are
   longer than that, since a gap needs LEAST_GAP_STEPS steps of codes outside it. */
typedef struct { code_t low, end, size; } gap_t;
#define CLSORT_GAP_STEP ((code_t)1 << (CLSORT_KEY_BYTES == 8 ? 32 : 0))

/* The code after the left-out part of the gap has been removed: the map of the cells takes such
   codes. Codes inside the gap become codes of the gap's cell. */
INLINE code_t fold_code(gap_t g, code_t code)
{
#if CLSORT_KEY_BYTES == 8
    const uint high = (uint)(code >> 32);
    return (code_t)(high >= (uint)(g.end >> 32) ? high - (uint)(g.size >> 32)
                                                : min(high, (uint)(g.low >> 32))) << 32
           | (uint)code;
#else
    return code >= g.end ? code - g.size : min(code, g.low);
#endif
}

/* The cells, in the kernel that makes them.
     counts, sums    counters of the cells; words for scans
     extremes        each work-item's least and greatest code; later the heavy codes
     heavy_sample    each work-item's codes next to the middle; later the part of the sample that
                     is searched for heavy codes
     map, gap        how codes are cut into cells
     first, last     the least and the greatest code of the sample
     most            the last code of the map
     margin          how far outside the sample's codes the least and the greatest key are expected
     size            keys of the sample
     light           keys of the sample that have no heavy code
     heavies         how many codes are heavy
     cell_groups     1 if ranges are cell groups
     order           ORDER_* of the sample, as far as each work-item sees it
     gap_first       the cell behind the sample's last code below the gap
     gap_cell        the cell of the gap
     gap_last        the cell of the sample's first code above the gap
   Without a gap the last three are CLSORT__HYBRID_CELLS. */
typedef struct {
    local uint *counts, *sums;
    local code_t *extremes, *heavy_sample;
    linear_map_t map;
    gap_t gap;
    code_t first, last, most, margin;
    uint size, light, heavies, cell_groups, order, gap_first, gap_cell, gap_last;
} cells_t;

/* The heavy codes overlay the extremes. heavy_cells has the cell of each heavy code, and overlays
   heavy_sample. */
INLINE local code_t *heavy_codes(cells_t s) { return s.extremes; }

INLINE local uint *heavy_cells(cells_t s)
{
    return (local uint *)s.heavy_sample;
}

/* The cell of a code that lies on the map. */
INLINE uint cell_of_code(cells_t s, code_t code)
{
    return 1 + map_part(s.map, fold_code(s.gap, code));
}

/* The index of the first code above `code` in list[first] ... list[end - 1], which ascend; `end` if
   there is none. */
INLINE uint first_above(local const code_t *list, uint first, uint end, code_t code)
{
    while (first < end) {
        const uint middle = (first + end) / 2;
        if (list[middle] <= code) first = middle + 1;
        else end = middle;
    }
    return first;
}

//---- hybrid: extremes [HYBRID]
/* How many keys are loaded before the first one is used: CLSORT_AHEAD by a work-item;
   of the sample, CLSORT_SAMPLE_AHEAD by a work-item, CLSORT_SAMPLE_STEP by a work-group. */
#define CLSORT_SAMPLE_AHEAD 16
#define CLSORT_SAMPLE_STEP (CLSORT_SAMPLE_AHEAD * CLSORT_GROUP)

/* Loads the codes of CLSORT_AHEAD keys of an array of `size` keys. The last key replaces keys
   beyond the end. */
INLINE void load_within(code_t *code, array_t from, codec_t codec, uint at, uint size)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        code[m] = encode(load_key(from, min(at + m * CLSORT_GROUP, size - 1)), codec);
}

/* The sum of two codes, at most the highest code. */
INLINE code_t cap_add(code_t a, code_t b)
{
    return a + min(b, (code_t)(CLSORT_TOP_CODE - a));
}

#define CLSORT_MIDDLE_CODE ((CLSORT_TOP_CODE >> 1) + 1)
/* The extremes of some codes. least, most: the least and the greatest code. above, below: the least
   and the greatest of the codes after their highest bit has been flipped. Flipped back, `above` is
   the first code above the middle of all codes, and `below` the last code below it. ascends,
   descends: 1 if the codes were seen in that order. */
typedef struct { code_t least, most, above, below; uint ascends, descends; } extremes_t;
INLINE void see_extreme(extremes_t *e, code_t code)
{
    e->ascends &= code >= e->most;
    e->descends &= code <= e->least;
    e->least = min(e->least, code);
    e->most = max(e->most, code);
    e->above = min(e->above, (code_t)(code ^ CLSORT_MIDDLE_CODE));
    e->below = max(e->below, (code_t)(code ^ CLSORT_MIDDLE_CODE));
}

/* The extremes of the work-item's part of the sample. */
INLINE extremes_t own_extremes(hybrid_t h, uint size)
{
    const uint t = local_id(), whole = size - size % CLSORT_SAMPLE_STEP;
    extremes_t e = { CLSORT_TOP_CODE, 0, CLSORT_TOP_CODE, 0, 1, 1 };
    for (uint at = t; at < whole; at += CLSORT_SAMPLE_STEP) {
        const array_t from = advance(h.alt, at);
        #pragma unroll
        for (uint m = 0; m < CLSORT_SAMPLE_AHEAD; m++)
            see_extreme(&e, encode(load_key(from, m * CLSORT_GROUP), h.codec));
    }
    #pragma unroll 1
    for (uint i = whole + t; i < size; i += CLSORT_GROUP)
        see_extreme(&e, encode(load_key(h.alt, i), h.codec));
    return e;
}

/* Finds the first and the last code of the sample, its order, and its codes next to the middle of
   all codes: gap.low, the greatest code below the middle, and gap.end, the least code above. Called
   by all work-items with `sums` free; ends with a barrier. */
INLINE void find_extremes(hybrid_t h, cells_t *s)
{
    const extremes_t e = own_extremes(h, s->size);
    const uint other = group_total(!e.ascends | !e.descends << 16, s->sums);
    put_extremes(s->extremes + local_id(), e.least, e.most);
    put_extremes(s->heavy_sample + local_id(), e.above, e.below);
    join_extremes(s->extremes, 1);
    s->first = s->extremes[0];
    s->last = s->extremes[CLSORT_GROUP];
    s->gap.end = s->heavy_sample[0] ^ CLSORT_MIDDLE_CODE;
    s->gap.low = s->heavy_sample[CLSORT_GROUP] ^ CLSORT_MIDDLE_CODE;
    s->order = CLSORT_VALUES_TOO   ? ORDER_NONE
               : !(other & 0xFFFF) ? ORDER_ASCENDS
               : !(other >> 16)    ? ORDER_DESCENDS
                                   : ORDER_NONE;
    local_barrier();
}

//---- hybrid: map of cells [HYBRID]
/* The last multiple of CLSORT_GAP_STEP up to a code. */
INLINE code_t gap_step(code_t code) { return code & ~(code_t)(CLSORT_GAP_STEP - 1); }

/* Takes the gap, the codes between gap.low and gap.end, out of the map. The first `inner` codes of
   the gap and its last `inner` codes stay on the map. */
INLINE void fold_gap(cells_t *s, code_t inner)
{
    const uint last = map_part(s->map, s->gap.low + inner);
    const code_t end = gap_step(s->gap.end - inner), above = s->gap.end;
    s->gap_cell = 2 + last;
    s->gap_first = 2 + map_part(s->map, s->gap.low);
    s->gap.low = gap_step(map_start(s->map, last + 1, 0, end) + CLSORT_GAP_STEP - 1);
    s->gap.size = gap_step(end - map_start(s->map, last + 2, 0, end));
    s->gap.end = end;
    s->gap_last = cell_of_code(*s, above);
}

/* 1 if the keys of pairs span enough codes for cells to ignore values. Only make_cell_map asks, for
   the span of the sample. Afterwards takes_keys reads the answer from the map. */
INLINE uint spans_keys(code_t span)
{
    return CLSORT_PAIRS && (ulong)span >> 32 >= CLSORT__EDGE_LEAST_SPAN;
}

/* 1 if a map cuts by the keys of pairs and ignores values. */
INLINE uint takes_keys(linear_map_t map)
{
    return map.shift >= 32;
}

/* Makes the map of the cells. The map goes from the sample's least code to its greatest one, with a
   margin on either side. The margins are for keys that the sample has missed: about 2^-14 of the
   keys lie below the sample's least code, as many above its greatest, most of them close to it.
   Next to 0 the margin of floats is longer, since floats near 0 are spread over many binades.
     Pairs: if cells ignore values, the map begins at the least pair of a key, with value 0, and
   ends at the greatest pair of a key. Its shift drops the values.
     The gap between gap.low and gap.end is left out if it is longer than the rest of the span. Then
   one cell stands for the gap, and the next cell begins at the first code behind the gap. */
INLINE void make_cell_map(hybrid_t h, cells_t *s)
{
    const code_t least = s->first, most = s->last, span = most - least,
                 values = spans_keys(span) ? (code_t)0xFFFFFFFFu : 0,
                 length = s->gap.end - s->gap.low;
    const uint upper = least >= CLSORT_MIDDLE_CODE, lower = most < CLSORT_MIDDLE_CODE,
               folds = !CLSORT_PAIRS && !upper && !lower && length > span / CLSORT__EDGE_GAP_PART
                       && (span - length) / CLSORT_GAP_STEP
                              >= CLSORT__EDGE_LEAST_GAP_STEPS(CLSORT_KEY_BYTES);
    const code_t used = folds ? (code_t)(span - length) : span,
                 margin = used >> CLSORT__EDGE_MARGIN_LOG2,
                 inner = h.codec.mask ? used >> CLSORT__EDGE_INNER_LOG2 : margin;
    s->margin = margin;
    s->most = cap_add(most, lower ? inner : margin) | values;
    s->map = make_map((least - min(least, upper ? inner : margin)) & ~values,
                      s->most - (folds ? (code_t)(length - 2 * inner) : 0),
                      CLSORT_INNER_CELLS - (folds ? 8 : 0), values ? 32 : 0);
    s->map.factor &= ~0u << CLSORT__HYBRID_CELL_GROUP_LOG2;     /* group_factor divides it */
    if (folds) fold_gap(s, inner);
    else {
        const gap_t none = { CLSORT_TOP_CODE, CLSORT_TOP_CODE, 0 };
        s->gap_first = s->gap_cell = s->gap_last = CLSORT__HYBRID_CELLS;
        s->gap = none;
    }
}

//---- hybrid: counts of cells [HYBRID]
/* The count of a cell. A word has the counters of two cells. */
INLINE uint cell_count(cells_t s, uint cell)
{
    return s.counts[pad_slot(cell / 2, 5)] >> cell % 2 * 16 & 0xFFFF;
}

INLINE void count_cell(cells_t s, code_t code)
{
    const uint cell = cell_of_code(s, code);
    atomic_add(&s.counts[pad_slot(cell / 2, 5)], 1u << cell % 2 * 16);
}

/* Counts CLSORT_AHEAD keys of the sample by cell, from key `at` on, but no keys with a heavy code.
   A binary search tells whether a code is heavy. All CLSORT_AHEAD searches take each step together,
   so that their loads of local memory overlap. */
INLINE void count_light_cells(hybrid_t h, cells_t s, uint at)
{
    code_t code[CLSORT_AHEAD];
    uint k[CLSORT_AHEAD];
    load_within(code, h.alt, h.codec, at, s.size);
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        k[m] = 0;
    for (uint step = CLSORT__EDGE_HEAVIES / 2; step > 0; step /= 2)
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++) {
            const uint next = k[m] + step,
                       higher = heavy_codes(s)[min(next, s.heavies - 1)] <= code[m];
            k[m] = next < s.heavies && higher ? next : k[m];
        }
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        if (at + m * CLSORT_GROUP < s.size && heavy_codes(s)[k[m]] != code[m])
            count_cell(s, code[m]);
}

/* Counts the sample's keys in each cell, but no keys with a heavy code. The first and the last
   cell, for codes outside the map, stay empty, since the map contains the sample. Called by all
   work-items; ends with a barrier. */
INLINE void count_cells(hybrid_t h, cells_t s)
{
    const uint size = s.heavies ? 0 : s.size, whole = size - size % CLSORT_SAMPLE_STEP;
    for (uint i = local_id(); i < CLSORT_CELL_WORDS; i += CLSORT_GROUP)
        s.counts[pad_slot(i, 5)] = 0;
    local_barrier();
    for (uint at = local_id(); at < whole; at += CLSORT_SAMPLE_STEP) {
        const array_t from = advance(h.alt, at);
        #pragma unroll
        for (uint m = 0; m < CLSORT_SAMPLE_AHEAD; m++)
            count_cell(s, encode(load_key(from, m * CLSORT_GROUP), h.codec));
    }
    #pragma unroll 1
    for (uint i = whole + local_id(); i < size; i += CLSORT_GROUP)
        count_cell(s, encode(load_key(h.alt, i), h.codec));
    for (uint i = local_id(); i < (s.heavies ? s.size : 0); i += CLSORT_AHEAD * CLSORT_GROUP)
        count_light_cells(h, s, i);
    local_barrier();
}

//---- hybrid: cells [HYBRID]
/* CLSORT_TAIL_LOG2: extra ranges at either end of the sample, where keys are sparse. A tail range
   has about as many keys of the sample as all ranges between it and that end. CLSORT_GAP_RANGES:
   ranges that begin at a gap or at its margins. */
#define CLSORT_TAIL_LOG2 6
#define CLSORT_GAP_RANGES 4
INLINE uint tail_range(uint outside)
{
    return 31 - clz(min(outside + 1, 1u << CLSORT_TAIL_LOG2));
}

/* A cell's QUOTA never falls from cell to cell. A range begins at each cell whose quota is not that
   of the cell before it. `before` is the number of light keys of the sample before the cell. The
   quota is the sum of
     - `before`, scaled to the even ranges, so that these ranges get equally many keys. Each heavy
       code takes two of them: its own range, and the one behind it
     - the cells before the cell, scaled to `spread` ranges, so that no range is very wide: a few
       uniform floats near 0 spread over more than a hundred binades of codes
     - the tail ranges that begin before the cell or with it */
INLINE uint cell_quota(cells_t s, uint cell, uint before)
{
    const uint spread = CLSORT_CELL_GROUPS - CLSORT__HYBRID_EVEN_DIGITS - 2 * CLSORT_TAIL_LOG2
                        - CLSORT_GAP_RANGES,
               even = CLSORT__HYBRID_EVEN_DIGITS - 2 * s.heavies,
               scale = (even << 22) / max(s.light, 1u);
    return min(before * scale >> 22, even - 1) + cell * spread / CLSORT__HYBRID_CELLS
           + tail_range(before) + CLSORT_TAIL_LOG2 - tail_range(s.light - before);
}

/* The first code of a cell. */
INLINE code_t cell_start(cells_t s, uint cell)
{
    const code_t place = map_start(s.map, cell - (cell > 0), 0, fold_code(s.gap, s.most));
    if (cell == 0)
        return 0;
    if (cell == CLSORT_LAST_CELL)
        return (code_t)(s.most + 1);
    return cell <= s.gap_cell       ? place
           : cell == s.gap_cell + 1 ? s.gap.end
                                    : (code_t)(place + s.gap.size);
}

/* 1 if a range begins with this cell. quota, previous: the quotas of this cell and the one before
   it. */
INLINE uint begins_range(cells_t s, uint cell, uint quota, uint previous)
{
    if (cell <= 1 || cell >= CLSORT_LAST_CELL)
        return cell <= 1 || (cell == CLSORT_LAST_CELL && s.most != CLSORT_TOP_CODE);
    return quota != previous || cell == s.gap_first || cell == s.gap_cell
           || cell == s.gap_cell + 1 || cell == s.gap_last;
}

/* A mask of CLSORT__HYBRID_MASK_CELLS cells, from cell `first` on: bit b is 1 if a range begins
   with cell first + b. A cell begins a range where the quota changes, and also if it has more than
   1 / CLSORT__EDGE_HEAVY_PART of the sample. That never makes more than 256 ranges: behind such a
   cell the quota grows by many numbers at once, of which only one begins a range.
     *before: the light keys of the sample before cell `first`; *quota: the quota of cell first - 1.
   On return both are as the call for the next cells takes them. */
INLINE uint mask_cells(cells_t s, uint first, uint *before, uint *quota)
{
    uint mask = 0;
    #pragma unroll 4
    for (uint bit = 0; bit < CLSORT__HYBRID_MASK_CELLS; bit++) {
        const uint own = cell_quota(s, first + bit, *before), count = cell_count(s, first + bit);
        mask |= (begins_range(s, first + bit, own, *quota)
                 || count > s.size / CLSORT__EDGE_HEAVY_PART) << bit;
        *quota = own;
        *before += count;
    }
    return mask;
}

/* The number of the first heavy code that lies in `cell` or in a later cell. The search begins with
   heavy code `k`. */
INLINE uint heavy_from(cells_t s, uint k, uint cell)
{
    #pragma unroll 1
    while (k < s.heavies && heavy_cells(s)[k] < cell)
        k++;
    return k;
}

//---- hybrid: ranges begin [HYBRID]
/* Writes where range `digit` begins, and whether it is a heavy code's range. */
INLINE void begin_range(hybrid_t h, uint digit, code_t low, uint is_heavy)
{
    set_table_code(hybrid_range(h, digit) + RANGE_LOW, low);
    hybrid_range(h, digit)[RANGE_HEAVY] = is_heavy;
}

/* Makes range `digit` of heavy code `number`. Range digit + 1 begins with the next code. */
INLINE void write_heavy(hybrid_t h, cells_t s, uint number, uint digit)
{
    const code_t code = heavy_codes(s)[number];
    begin_range(h, digit, code, 1);
    begin_range(h, digit + 1, (code_t)(code + 1), 0);
    set_table_code(hybrid_heavy(h, number) + HEAVY_CODE, code);
    hybrid_heavy(h, number)[HEAVY_DIGIT] = digit;
}

/* Writes the ranges that begin in the CLSORT__HYBRID_MASK_CELLS cells from cell `first` on. A range
   begins at each cell of `mask`. Each of the heavy codes `heavy` ... end - 1 makes two ranges, see
   write_heavy. `digit` is the number of the first of these ranges. Returns the number of the range
   behind them. */
INLINE uint write_ranges(hybrid_t h, cells_t s, uint first, uint mask, uint heavy, uint end,
                         uint digit)
{
    while (mask != 0 || heavy < end) {
        const uint cell = first + (mask ? 31 - clz(mask & -mask) : CLSORT__HYBRID_MASK_CELLS);
        if (heavy < end && heavy_cells(s)[heavy] < cell) {
            write_heavy(h, s, heavy, digit);
            heavy++;
            digit += 2;
        } else {
            begin_range(h, digit, cell_start(s, cell), 0);
            mask &= mask - 1;
            digit++;
        }
    }
    return digit;
}

/* Writes the masks of the work-item's cells to the tables; write_cells adds the other bits of these
   words. before: the light keys of the sample before the work-item's cells. Returns how many ranges
   begin in these cells. */
INLINE uint mark_cells(hybrid_t h, cells_t s, uint before)
{
    const uint first = local_id() * CLSORT_OWN_CELLS, end = first + CLSORT_OWN_CELLS,
               heavy = heavy_from(s, 0, first), heavies = heavy_from(s, heavy, end) - heavy;
    uint quota = first ? cell_quota(s, first - 1, before - cell_count(s, first - 1)) : 0,
         begun = 0;
    #pragma unroll 1
    for (uint cell = first; cell < end; cell += CLSORT__HYBRID_MASK_CELLS) {
        const uint mask = mask_cells(s, cell, &before, &quota);
        h.tables[CLSORT__HYBRID_MASKS_AT + cell / CLSORT__HYBRID_MASK_CELLS] = mask;
        begun += popcount(mask);
    }
    return begun + 2 * heavies;
}

/* Completes the words of the work-item's cells, in which mark_cells has put the masks, and writes
   the ranges that begin in these cells; the first of them has number `digit`. Bits of a word, for
   CLSORT__HYBRID_MASK_CELLS cells:
     0 ... 15    the mask: which of the cells begin a range
     16 ... 23   the number of the first range that begins in these cells or behind them
     24 ... 30   the number of the first heavy code in these cells or behind them
     31          1 if that heavy code lies in these cells */
INLINE void write_cells(hybrid_t h, cells_t s, uint digit)
{
    const uint first = local_id() * CLSORT_OWN_CELLS;
    uint heavy = heavy_from(s, 0, first);
    #pragma unroll 1
    for (uint cell = first; cell < first + CLSORT_OWN_CELLS; cell += CLSORT__HYBRID_MASK_CELLS) {
        global uint *word = h.tables + CLSORT__HYBRID_MASKS_AT + cell / CLSORT__HYBRID_MASK_CELLS;
        const uint mask = *word, end = heavy_from(s, heavy, cell + CLSORT__HYBRID_MASK_CELLS);
        *word = (uint)(heavy < end) << 31 | heavy << 24 | (digit & 0xFF) << 16 | mask;
        digit = write_ranges(h, s, cell, mask, heavy, end, digit);
        heavy = end;
    }
}

/* If ranges are cell groups: writes the ranges and the words of all cells. Returns the number of
   ranges. */
INLINE uint write_cell_groups(hybrid_t h, cells_t s)
{
    const uint digits = CLSORT_CELL_GROUPS + 1 + (s.most != CLSORT_TOP_CODE);
    for (uint w = local_id(); w < CLSORT_CELL_MASKS; w += CLSORT_GROUP) {
        const uint last = w * CLSORT__HYBRID_MASK_CELLS + CLSORT_CELL_GROUP - 2,
                   next = 1 + last / CLSORT_CELL_GROUP,
                   starts = last % CLSORT_CELL_GROUP >= CLSORT_CELL_GROUP - 2;
        h.tables[CLSORT__HYBRID_MASKS_AT + w]
            = w == 0 ? 3 : (min(next, digits) & 0xFF) << 16 | (starts && next < digits) << 1;
    }
    for (uint d = local_id(); d < digits; d += CLSORT_GROUP)
        begin_range(h, d, cell_start(s, d ? 1 + (d - 1) * CLSORT_CELL_GROUP : 0), 0);
    return digits;
}

//---- hybrid: heavy codes [HYBRID]
#define CLSORT_HEAVY_SAMPLE_SLOTS (2 * CLSORT__HYBRID_HEAVY_SAMPLE)

/* 1 if a cell has too many keys of the sample for one range. heaviest: the keys in that cell. If a
   cell is so short that each code can have its own second digit, the result is 0: a bucket of one
   code needs no sort. */
INLINE uint is_too_heavy(hybrid_t h, cells_t s, uint heaviest)
{
    return heaviest > s.size / CLSORT__EDGE_HEAVY_PART
           && map_start(s.map, 1, 0, s.most) - s.map.low >= h.second_digits;
}

/* Not 0 if the sample's keys crowd in a cell: then heavy codes must be searched for. Bits 16 and
   above are not 0 if a cell is too heavy: then SKIP_PASSES must be cleared if no heavy code is
   found. heaviest: the most keys in one of the work-item's cells. Called by all work-items with
   `sums` free; ends with a barrier. */
INLINE uint is_crowded(hybrid_t h, cells_t s, uint heaviest)
{
    const uint crowded = heaviest > s.size / CLSORT__EDGE_CROWDED_PART;
    return group_total(crowded | is_too_heavy(h, s, heaviest) << 16, s.sums);
}

/* Counts how often each of `size` codes of the sample occurs. The counters are a hash table of
   CLSORT_HEAVY_SAMPLE_SLOTS words, which overlays the cells' counts. The upper 16 bits of a word
   are the count. The lower 16 bits are i + 1, where heavy_sample[i] has the code that the slot
   counts; 0 marks an empty slot. Called by all work-items; ends with a barrier. */
INLINE void count_heavy_sample(hybrid_t h, cells_t s, uint size)
{
    clear_words(s.counts, CLSORT_HEAVY_SAMPLE_SLOTS);
    for (uint i = local_id(); i < size; i += CLSORT_GROUP)
        s.heavy_sample[i] = encode(load_key(h.alt, i * (s.size / size)), h.codec);
    local_barrier();
    for (uint i = local_id(); i < size; i += CLSORT_GROUP) {
        const code_t code = s.heavy_sample[i];
        uint at = (uint)((ulong)code ^ (ulong)code >> 29) * 0x9E3779B9u >> 16, found;
        do {
            at = (at + 1) % CLSORT_HEAVY_SAMPLE_SLOTS;
            found = atomic_cmpxchg(&s.counts[at], 0, i + 1);
        } while (found != 0 && s.heavy_sample[(found & 0xFFFF) - 1] != code);
        atomic_add(&s.counts[at], 1u << 16);
    }
    local_barrier();
}

/* Writes the codes that were counted `least` times or more to heavy_codes, in ascending order, but
   CLSORT__EDGE_HEAVIES codes at most. *weight: the sum of the counts of all codes counted `least`
   times or more, written or not. Returns the number of codes written. Called by all work-items;
   ends with a barrier. */
INLINE uint list_heavies(cells_t s, uint least, uint *weight)
{
    local code_t *list = heavy_codes(s) + CLSORT__EDGE_HEAVIES;
    uint found = 0, size = 0, total;
    for (uint i = local_id(); i < CLSORT_HEAVY_SAMPLE_SLOTS; i += CLSORT_GROUP) {
        const uint count = s.counts[i] >> 16;
        found += count >= least;
        size += count >= least ? count : 0;
    }
    *weight = group_total(size, s.sums);
    uint place = group_scan_total(found, s.sums, &total);
    total = min(total, CLSORT__EDGE_HEAVIES + 0u);
    for (uint i = local_id(); i < CLSORT_HEAVY_SAMPLE_SLOTS; i += CLSORT_GROUP)
        if (s.counts[i] >> 16 >= least && place < total)
            list[place++] = s.heavy_sample[(s.counts[i] & 0xFFFF) - 1];
    local_barrier();
    for (uint i = local_id(); i < total; i += CLSORT_GROUP) {
        uint rank = 0;
        for (uint j = 0; j < total; j++)
            rank += list[j] < list[i];
        heavy_codes(s)[rank] = list[i];
    }
    local_barrier();
    for (uint i = local_id(); i < total; i += CLSORT_GROUP)
        heavy_cells(s)[i] = cell_of_code(s, heavy_codes(s)[i]);
    local_barrier();
    return total;
}

/* Finds heavy codes: counts the codes of up to CLSORT__HYBRID_HEAVY_SAMPLE keys of the sample.
   Returns the number of heavy codes, or 0 if less than half of these keys have a heavy code; where
   values are carried, one such key suffices.
   Destroys the cells' counts. Called by all work-items; ends with a barrier. */
INLINE uint find_heavies(hybrid_t h, cells_t s)
{
    const uint size = min(s.size, CLSORT__HYBRID_HEAVY_SAMPLE + 0u);
    uint weight;
    count_heavy_sample(h, s, size);
    const uint heavies = list_heavies(s, CLSORT__EDGE_LEAST_HEAVY, &weight);
    return CLSORT_HEAVIES_PART * weight < size ? 0 : heavies;
}

//---- hybrid: cells kernel [HYBRID]
/* The number of the sample's keys in the work-item's cells. *heaviest: the most in one cell. */
INLINE uint sum_cells(cells_t s, uint *heaviest)
{
    const uint first = local_id() * CLSORT_OWN_CELLS;
    uint sum = 0;
    *heaviest = 0;
    #pragma unroll 8
    for (uint c = first; c < first + CLSORT_OWN_CELLS; c++) {
        sum += cell_count(s, c);
        *heaviest = max(*heaviest, cell_count(s, c));
    }
    return sum;
}

/* 1 if the sample is flat: no work-item's cells have more than CLSORT__EDGE_FLAT_TIMES an equal
   share of the sample. sum: the sample's keys in the work-item's cells. Called by all work-items
   with `sums` free; ends with a barrier. */
INLINE uint is_flat(cells_t s, uint sum)
{
    return group_total(sum > CLSORT__EDGE_FLAT_TIMES * (s.size / CLSORT_GROUP), s.sums) == 0;
}

/* 1 if ranges that are not cell groups would need more second digits than they may have. */
INLINE uint lacks_second_digits(hybrid_t h, cells_t s)
{
    const uint most = CLSORT__HYBRID_EVEN_DIGITS * h.second_digits;
    return !s.cell_groups && most != 0
           && h.n / max(most, 1u) > CLSORT__EDGE_ROOM(CLSORT_BUCKET_TILE);
}

/* The factor of the map that cuts each cell group into n second digits. f: the factor of the map
   that cuts the same codes into cells. */
INLINE ulong group_factor(uint f, uint n) { return (ulong)(f / CLSORT_CELL_GROUP) * n; }

/* The number of second digits of each cell group if `count` counts them together with the ranges,
   else 0. These counts are of use only if all cell groups have about equally many keys:
   check_group_digits checks that, and discards them otherwise. */
INLINE uint cell_group_digits(hybrid_t h, cells_t s)
{
    const ulong factor = group_factor(s.map.factor, h.group_digits);
    return s.cell_groups && factor < 1UL << 31 ? h.group_digits : 0;
}

/* Writes the head, and clears the counts of ranges. Sets SKIP_PASSES to 1; then clears it if
   gives_up is 1 in any work-item, or if ranges lack second digits. Called by all work-items. */
INLINE void write_head(hybrid_t h, cells_t s, uint digits, uint gives_up)
{
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP)
        h.next[d] = 0;
    if (local_id() == 0) {
        *h.skip_passes = 1;
        h.tables[CLSORT__HEAD_OVER] = h.tables[CLSORT__HEAD_TILES] = 0;
        h.tables[CLSORT__HEAD_LISTED] = 0;
        h.tables[CLSORT__HEAD_DIGITS] = digits;
        h.tables[CLSORT__HEAD_SHIFT] = s.map.shift;
        h.tables[CLSORT__HEAD_FACTOR] = s.map.factor;
        h.tables[CLSORT__HEAD_CELL_GROUPS] = s.cell_groups;
        h.tables[CLSORT__HEAD_GROUP_DIGITS] = cell_group_digits(h, s);
        h.tables[CLSORT__HEAD_HEAVIES] = s.heavies;
        h.tables[CLSORT__HEAD_ORDER] = s.order;
        set_table_code(h.tables + CLSORT__HEAD_LEAST, s.map.low);
        set_table_code(h.tables + CLSORT__HEAD_MOST, s.most);
        set_table_code(h.tables + CLSORT__HEAD_FIRST, s.first - min(s.first, s.margin));
        set_table_code(h.tables + CLSORT__HEAD_FIRST + 2, s.first);
        set_table_code(h.tables + CLSORT__HEAD_LAST, s.last);
        set_table_code(h.tables + CLSORT__HEAD_LAST + 2, cap_add(s.last, s.margin));
        set_table_code(h.tables + CLSORT__HEAD_GAP_LOW, s.gap.low);
        set_table_code(h.tables + CLSORT__HEAD_GAP_END, s.gap.end);
        set_table_code(h.tables + CLSORT__HEAD_GAP_SIZE, s.gap.size);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (gives_up || lacks_second_digits(h, s))
        atomic_and(h.skip_passes, 0);
}

//---- hybrid: sample is counted [HYBRID]
/* Counts the sample's keys in each cell. If a cell is crowded, finds heavy codes and counts again
   without them. *sum: the keys in the work-item's cells; *heaviest: the most in one cell. Returns 1
   if the passes must sort. Called by all work-items; ends with a barrier. */
INLINE uint count_sample(hybrid_t h, cells_t *s, uint *sum, uint *heaviest)
{
    uint gives_up = 0;
    for (uint round = 0; round < (CLSORT_PAIRS ? 1 : 2); round++) {
        count_cells(h, *s);
        *sum = sum_cells(*s, heaviest);
        if (CLSORT_PAIRS || round > 0)
            break;
        const uint crowded = is_crowded(h, *s, *heaviest);
        if (CLSORT_BRANCH_BARRIERS && !crowded)
            break;
        const uint heavies = find_heavies(h, *s);
        s->heavies = crowded ? heavies : 0;
        gives_up = CLSORT_GIVES_UP(s->heavies, crowded >> 16);
        if (CLSORT_BRANCH_BARRIERS && gives_up)
            break;
    }
    return gives_up;
}

/* One work-group: makes cells and ranges. space: 2 * CLSORT_GROUP + CLSORT__HYBRID_HEAVY_SAMPLE
   codes, CLSORT_CELL_WORDS padded words, 2 * CLSORT_GROUP + 1 words. */
CLSORT_KERNEL void clsort_hybrid_cells(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    local code_t *extremes = (local code_t *)space, *heavy_sample = extremes + 2 * CLSORT_GROUP;
    local uint *counts = (local uint *)(heavy_sample + CLSORT__HYBRID_HEAVY_SAMPLE),
               *sums = counts + CLSORT_CELL_WORDS + (CLSORT_CELL_WORDS >> 5);
    cells_t s = { counts, sums, extremes, heavy_sample, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0, 0,
                  sample_size(h), 0, 0, 0, 0, 0, 0, 0 };
    uint digits, heaviest, sum;
    if (h.n == 0)   /* the passes then do nothing, whatever SKIP_PASSES is */
        return;
    find_extremes(h, &s);
    make_cell_map(h, &s);
    const uint sample_gives_up = count_sample(h, &s, &sum, &heaviest),
               before = group_scan_total(sum, s.sums, &s.light);
    s.cell_groups = is_flat(s, sum) && s.heavies == 0 && s.gap_cell == CLSORT__HYBRID_CELLS;
    const uint gives_up = CLSORT_PAIRS ? !(s.cell_groups && takes_keys(s.map)) : sample_gives_up,
               begun = gives_up || s.cell_groups ? 0 : mark_cells(h, s, before),
               digit = group_scan_total(begun, s.sums, &digits);
    if (s.cell_groups) digits = write_cell_groups(h, s);
    else if (!gives_up) write_cells(h, s, digit);
    write_head(h, s, digits, gives_up || is_too_heavy(h, s, heaviest));
}

//---- hybrid: digits [HYBRID]
/* How the digit of a code is found. The first digit, which is the number of the code's range:
     BY_MASKS          from the masks of cells, in local memory
     BY_DIGITS         from a table in local memory with a byte for each cell
     BY_HEAVIES        from the masks, and from the list of heavy codes
     BY_CELL_GROUPS    by a multiplication, if ranges are cell groups
     BY_KEYS           as BY_CELL_GROUPS, from the keys of pairs alone
   Other digits:
     BY_MAP            the second digit, by the map of one range
     BY_GROUP_DIGITS   a number for each second digit of each cell group, to count them all

   map, gap: see cells_t; BY_MAP, `map` is the range's. span: the length of the map. masks: the
   masks, or the bytes of cells. cell_groups: 1 if ranges are cell groups. heavies: the number of
   heavy_codes. outside_at: the number of BY_GROUP_DIGITS for codes above all cell groups;
   outside_at + 1 is for codes below. */
enum { BY_MASKS, BY_DIGITS, BY_HEAVIES, BY_CELL_GROUPS, BY_MAP, BY_KEYS, BY_GROUP_DIGITS };
typedef struct {
    linear_map_t map;
    code_t span;
    local const uint *masks;
    local const code_t *heavy_codes;
    uint cell_groups, heavies;
    gap_t gap;
    uint outside_at;
} finder_t;

/* Makes the finder of first digits. Loads the heavy codes and, if `asked` is not 0, the masks to
   local memory at `masks`: CLSORT_CELL_MASKS words, then CLSORT__EDGE_HEAVIES codes. Called by all
   work-items; needs a barrier after. */
INLINE finder_t first_finder(hybrid_t h, local uint *masks, uint asked)
{
    local code_t *heavy_codes = (local code_t *)(masks + CLSORT_CELL_MASKS);
    const code_t least = table_code(h.tables + CLSORT__HEAD_LEAST);
    const gap_t gap = { table_code(h.tables + CLSORT__HEAD_GAP_LOW),
                        table_code(h.tables + CLSORT__HEAD_GAP_END),
                        table_code(h.tables + CLSORT__HEAD_GAP_SIZE) };
    const code_t end = fold_code(gap, table_code(h.tables + CLSORT__HEAD_MOST));
    const finder_t s = { { least, h.tables[CLSORT__HEAD_SHIFT], h.tables[CLSORT__HEAD_FACTOR] },
                         (code_t)(end - least), masks, heavy_codes,
                         h.tables[CLSORT__HEAD_CELL_GROUPS], h.tables[CLSORT__HEAD_HEAVIES], gap };
    for (uint i = local_id(); i < CLSORT_CELL_MASKS && asked; i += CLSORT_GROUP)
        masks[i] = h.tables[CLSORT__HYBRID_MASKS_AT + i];
    for (uint i = local_id(); i < s.heavies; i += CLSORT_GROUP)
        heavy_codes[i] = table_code(hybrid_heavy(h, i) + HEAVY_CODE);
    return s;
}

/* Writes a byte for each cell, the number of its range, in place of the masks. Called by all
   work-items; needs a barrier after. */
INLINE void spread_masks(hybrid_t h, local uint *digits)
{
    for (uint i = local_id(); i < CLSORT_CELL_MASKS; i += CLSORT_GROUP) {
        const uint word = h.tables[CLSORT__HYBRID_MASKS_AT + i];
        uint digit = (word >> 16 & 0xFF) - 1;
        for (uint k = 0; k < CLSORT__HYBRID_MASK_CELLS / 4; k++) {
            uint four = 0;
            for (uint m = 0; m < 4; m++) {
                digit += word >> (4 * k + m) & 1;
                four |= (digit & 0xFF) << 8 * m;
            }
            digits[i * (CLSORT__HYBRID_MASK_CELLS / 4) + k] = four;
        }
    }
}

/* A bit that is set in the digit of a heavy code; the lower bits are the number of its range. */
#define CLSORT_HEAVY_FLAG CLSORT__HYBRID_DIGITS

/* The digit of a code whose cell belongs to masks[at], where bit 31 says that these cells have
   heavy codes. digit: the digit as the mask alone gives it. Each heavy code of these cells below
   the code adds two ranges. If the code is heavy itself, it adds one: the first of its two
   ranges. */
INLINE uint heavy_digit(finder_t s, code_t code, uint at, uint digit)
{
    const uint first = s.masks[at] >> 24 & 0x7F, end = s.masks[at + 1] >> 24 & 0x7F,
               above = first_above(s.heavy_codes, first, end, code),
               is_heavy = above > first && s.heavy_codes[above - 1] == code;
    return (digit + 2 * (above - first) - is_heavy) | is_heavy * CLSORT_HEAVY_FLAG;
}

/* The cell group of a pair with this key. */
INLINE uint cell_group_of_key(finder_t s, uint key)
{
    const uint low = (uint)((ulong)s.map.low >> 32), span = (uint)((ulong)s.span >> 32);
    const ulong product = (ulong)((key - low) >> (s.map.shift - 32)) * s.map.factor;
    return key - low <= span ? 1 + (uint)(product >> (31 + CLSORT__HYBRID_CELL_GROUP_LOG2))
           : key < low       ? 0
                             : CLSORT__HYBRID_DIGITS - 1u;
}

//---- hybrid: digit of a code [HYBRID]
/* The digit of a code. by: one of BY_*, a constant in each call. */
INLINE uint split_digit(finder_t s, code_t code, const uint by)
{
    if (by == BY_MAP)
        return map_part(s.map, code);
    if (by == BY_KEYS)
        return cell_group_of_key(s, (uint)((ulong)code >> 32));
    const code_t place = by == BY_CELL_GROUPS || by == BY_GROUP_DIGITS ? code
                                                                       : fold_code(s.gap, code);
    const uint below = code < s.map.low, inside = (code_t)(place - s.map.low) <= s.span,
               cell_group = 1 + (uint)(map_product(s.map, code)
                                       >> (31 + CLSORT__HYBRID_CELL_GROUP_LOG2));
    if (by == BY_CELL_GROUPS)
        return inside ? cell_group : below ? 0 : CLSORT__HYBRID_DIGITS - 1;
    if (by == BY_GROUP_DIGITS)
        return inside ? map_part(s.map, code) : s.outside_at + below;
    const uint cell = inside ? 1 + map_part(s.map, place) : below ? 0 : CLSORT_LAST_CELL;
    if (by == BY_DIGITS)
        return ((local const uchar *)s.masks)[cell];
    const uint at = cell / CLSORT__HYBRID_MASK_CELLS, word = s.masks[at],
               before = popcount(word & ((2u << cell % CLSORT__HYBRID_MASK_CELLS) - 1)) - 1;
    if (by == BY_MASKS)
        return (word >> 16) + before;
    const uint digit = (word >> 16 & 0xFF) + before;
    return word >> 31 ? heavy_digit(s, code, at, digit) : digit;
}

/* If ranges are cell groups: 1 if range `digit` is one; 0 if it is below or above all of them. */
INLINE uint is_cell_group(uint digit)
{
    return digit - 1 < CLSORT_CELL_GROUPS;
}

/* The map of a range, whose parts are its second digits. */
INLINE linear_map_t load_range_map(hybrid_t h, uint digit)
{
    global const uint *range = hybrid_range(h, digit);
    const uint group_digits = h.tables[CLSORT__HEAD_GROUP_DIGITS],
               grouped = group_digits != 0 && is_cell_group(digit);
    const linear_map_t map = {
        table_code(grouped ? h.tables + CLSORT__HEAD_LEAST : range + RANGE_LOW),
        range[RANGE_SHIFT], range[RANGE_FACTOR], grouped ? (digit - 1) * group_digits : 0
    };
    return map;
}

//---- hybrid: count [HYBRID]
/* 1 if the CLSORT_AHEAD keys of every work-item of the work-group exist: there are `size` keys.
   at: the number of the work-item's first key. */
INLINE uint all_ahead(uint at, uint size)
{
    return at - local_id() + CLSORT_AHEAD * CLSORT_GROUP <= size;
}

/* Loads CLSORT_AHEAD keys and encodes them. Pairs whose values lie in an array of their own get the
   value 0. All loads are issued before the first key is encoded. */
INLINE void load_ahead(code_t *code, array_t from, codec_t codec, uint at)
{
    from = advance(from, at);
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        code[m] = load_decider(from, m * CLSORT_GROUP);
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        code[m] = encode(code[m], codec);
}

/* The number of a key's counter. Each counter of first digits has CLSORT__HYBRID_COPIES copies, so
   that fewer lanes add to the same word at the same time; counters of second digits have no
   copies. */
INLINE uint counter_of(finder_t s, code_t code, const uint by)
{
    const uint copies = by == BY_MAP || by == BY_GROUP_DIGITS ? 1 : CLSORT__HYBRID_COPIES,
               most = by == BY_HEAVIES ? CLSORT_HEAVY_FLAG - 1u : ~0u;
    return local_id() % copies + copies * (split_digit(s, code, by) & most);
}

/* Adds to a counter. Counters of cell groups' second digits have 16 bits, two in a word. */
INLINE void add_count(local uint *counters, uint at, uint count, const uint by)
{
    if (by == BY_GROUP_DIGITS) atomic_add(&counters[at / 2], count << at % 2 * 16);
    else atomic_add(&counters[at], count);
}

/* Counts one key of each lane by its second digit of a cell group. For all lanes that have the
   digit of the first lane, one atomic adds their number; each other lane adds 1. Called by whole
   warps. */
INLINE void count_with_peers(local uint *counters, uint digit)
{
    uint first;
    const uint lane = local_id() % CLSORT__WARP, peers = first_peers(digit, &first),
               count = !(peers >> lane & 1) ? 1 : lane ? 0 : popcount(peers);
    if (count != 0)
        add_count(counters, digit, count, BY_GROUP_DIGITS);
}

/* Counts CLSORT_AHEAD keys of a work-item. In sorted keys many digits are equal, and atomics would
   wait for one counter. So with BY_GROUP_DIGITS, if many lanes of a warp have the first lane's
   digit, one atomic adds the keys of these lanes. If warps are not known, and the work-item's first
   and last key have the same digit, one atomic adds each run of keys with equal digits. */
INLINE void count_ahead(finder_t s, const code_t *code, local uint *counters,
                        const uint by)
{
    uint at[CLSORT_AHEAD], repeats = 1;
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        at[m] = counter_of(s, code[m], by);
    if (by == BY_GROUP_DIGITS && lanes_crowd(at[0], CLSORT__EDGE_BINS_CROWD)) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++)
            count_with_peers(counters, at[m]);
        return;
    }
    if (CLSORT_WARPS || at[0] != at[CLSORT_AHEAD - 1]) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++)
            add_count(counters, at[m], 1, by);
        return;
    }
    #pragma unroll
    for (uint m = 0; m < CLSORT_AHEAD; m++)
        if (m + 1 < CLSORT_AHEAD && at[m] == at[m + 1]) repeats++;
        else add_count(counters, at[m], repeats, by), repeats = 1;
}

/* An order, ORDER_*, of the keys that a work-item counts together, from key `at` on, each with the
   key behind it; ORDER_NONE if one of them and the key behind it are not. There are `size` keys.
   They are loaded again to be counted: from the cache, and a loop that does both was 12 % slower
   for all sorts on an H200. */
CLSORT_NOINLINE_NV uint order_ahead(global uchar *keys, code_t mask, code_t flip, code_t rotate,
                                    uint at, uint size, uint order)
{
    const array_t from = CLSORT_ARRAY_OF(keys, keys, 0);
    const codec_t codec = { mask, flip, rotate };
    uint holds = 1;
    #pragma unroll 4
    for (uint m = 0; m < CLSORT_AHEAD; m++) {
        const uint i = min(at + m * CLSORT_GROUP, size - 1);
        const code_t code = encode(load_key(from, i), codec),
                     next = encode(load_key(from, min(i + 1, size - 1)), codec);
        holds &= order == ORDER_ASCENDS ? code <= next : code >= next;
    }
    return holds ? order : ORDER_NONE;
}

/* Counts some of `size` keys. Each work-item counts CLSORT_AHEAD keys from `first` on, then again
   from first + step on, and so on to the end. *order: see order_ahead; of all keys that it counts.
   Has no barriers. Called by all work-items with the counters ready. */
INLINE void count_by_split(finder_t s, array_t from, codec_t codec, uint size, uint first,
                           uint step, local uint *counters, uint *order, const uint by)
{
    for (uint at = first + local_id(); at < size; at += step) {
        if (!CLSORT_VALUES_TOO && *order)
            *order = order_ahead(from.keys, codec.mask, codec.flip, codec.rotate, at, size, *order);
        if (all_ahead(at, size)) {
            code_t code[CLSORT_AHEAD];
            load_ahead(code, from, codec, at);
            count_ahead(s, code, counters, by);
        } else
            for (uint i = at; i < size; i += CLSORT_GROUP)
                add_count(counters, counter_of(s, encode(load_decider(from, i), codec), by), 1, by);
    }
}

/* Adds the copies of each counter to its range's count. Called by all work-items after the counts
   and a barrier. */
INLINE void add_copies(hybrid_t h, local const uint *counters)
{
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP) {
        uint count = 0;
        for (uint k = 0; k < CLSORT__HYBRID_COPIES; k++)
            count += counters[d * CLSORT__HYBRID_COPIES + k];
        if (count != 0)
            atomic_add(&h.next[d], count);
    }
}

//---- hybrid: count of second digits [HYBRID]
/* Counts keys, as count_by_split does, by the second digits of all cell groups. */
INLINE void count_group_digits(hybrid_t h, finder_t s, uint group_digits, uint first,
                               uint step, local uint *counters, uint *order)
{
    s.map.factor = (uint)group_factor(s.map.factor, group_digits);
    s.outside_at = CLSORT_CELL_GROUPS * group_digits;
    count_by_split(s, h.source, h.codec, h.n, first, step, counters, order, BY_GROUP_DIGITS);
}

INLINE uint group_digit_count(local const uint *counters, uint digit)
{
    return counters[digit / 2] >> digit % 2 * 16 & 0xFFFF;
}

/* Adds the work-group's counts of second digits to the counts of buckets in global memory. The sum
   of a cell group's counts is added to the count of its range. Called by all work-items after the
   counts and a barrier. */
INLINE void add_group_digits(hybrid_t h, uint group_digits, local const uint *counters)
{
    const uint lanes = CLSORT__WARP, step = CLSORT_GROUP / lanes;
    for (uint group = local_id() / lanes; group < CLSORT_CELL_GROUPS; group += step)
        for (uint k = local_id() % lanes; k < group_digits; k += lanes) {
            const uint count = group_digit_count(counters, group * group_digits + k);
            if (count != 0)
                atomic_add(&h.buckets[(group + 1) * h.second_digits + k], count);
        }
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP) {
        uint sum = is_cell_group(d)
                       ? 0
                       : group_digit_count(counters, CLSORT_CELL_GROUPS * group_digits + (d == 0));
        for (uint k = 0; k < (is_cell_group(d) ? group_digits : 0); k++)
            sum += group_digit_count(counters, (d - 1) * group_digits + k);
        if (sum != 0)
            atomic_add(&h.next[d], sum);
    }
}

//---- hybrid: count kernel [HYBRID]
/* Counts the keys of ranges, and sees whether keys are in order. Any number of work-groups. space:
   CLSORT__HYBRID_COPIES * CLSORT__HYBRID_DIGITS words, then CLSORT__HYBRID_CELLS bytes, or
   CLSORT_CELL_MASKS words and CLSORT__EDGE_HEAVIES codes if that is more; at least
   CLSORT__HYBRID_GROUP_DIGIT_WORDS words. */
CLSORT_KERNEL void clsort_hybrid_count(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    local uint *counters = (local uint *)space,
               *masks = counters + CLSORT__HYBRID_COPIES * CLSORT__HYBRID_DIGITS;
    const uint first = CLSORT_AHEAD * CLSORT_GROUP * (uint)get_group_id(0),
               step = CLSORT_AHEAD * CLSORT_GROUP * (uint)get_num_groups(0);
    if (!hybrid_sorts(h))
        return;
    const uint counted = h.tables[CLSORT__HEAD_GROUP_DIGITS],
               hoped = CLSORT_VALUES_TOO ? ORDER_NONE : h.tables[CLSORT__HEAD_ORDER];
    uint order = hoped;
    const finder_t s = first_finder(h, masks, h.tables[CLSORT__HEAD_HEAVIES]);
    clear_words(counters, counted ? CLSORT__HYBRID_GROUP_DIGIT_WORDS(counted)
                                  : CLSORT__HYBRID_COPIES * CLSORT__HYBRID_DIGITS);
    if (s.heavies == 0 && !s.cell_groups)
        spread_masks(h, masks);
    local_barrier();
    if (CLSORT_PAIRS)
        count_by_split(s, h.source, h.codec, h.n, first, step, counters, &order, BY_KEYS);
    else if (counted) count_group_digits(h, s, counted, first, step, counters, &order);
    else if (s.cell_groups)
        count_by_split(s, h.source, h.codec, h.n, first, step, counters, &order, BY_CELL_GROUPS);
    else if (s.heavies == 0)
        count_by_split(s, h.source, h.codec, h.n, first, step, counters, &order, BY_DIGITS);
    else count_by_split(s, h.source, h.codec, h.n, first, step, counters, &order, BY_HEAVIES);
    if (hoped && !order)
        atomic_and(&h.tables[CLSORT__HEAD_ORDER], 0);
    local_barrier();
    if (counted) add_group_digits(h, counted, counters);
    else add_copies(h, counters);
}

//---- hybrid: ranges [HYBRID]
/* 1 if a work-group can sort a bucket of `size` keys in local memory. */
INLINE uint fits_bucket(uint size)
{
    return size <= CLSORT_BUCKET_TILE;
}

/* If a bucket is above the capacity, adds its size to the head's word OVER. Clears SKIP_PASSES if
   this bucket has too many keys, or if all buckets above the capacity together have too many. */
INLINE void check_bucket(hybrid_t h, uint size)
{
    if (fits_bucket(size))
        return;
    const uint most = CLSORT_MOST_OVER(h),
               before = atomic_add(&h.tables[CLSORT__HEAD_OVER], size);
    if (before > most || size > most - before
        || size / CLSORT_BUCKET_TILE >= CLSORT__EDGE_OVER_TIMES(h.n))
        atomic_and(h.skip_passes, 0);
}

/* The map that cuts a range into its second digits. How many second digits a range gets:
     outside the sample,        as many as are allowed: keys may crowd in a small part of the range
       and at its edges
     a narrow range             one for each code: buckets of one code need no sort
     a cell group               as many as its keys need, since they lie about evenly
     any other range            twice as many; clsort_hybrid_starts may join them in twos

   A bucket of average size is below the capacity by some standard deviations of its size, or by
   more if ranges are not cell groups. If second_digits is 0, the map has one part: max() sees to
   that, since LLVM 18 in PoCL 6.0 aborts at a conditional expression. */
INLINE linear_map_t make_range_map(hybrid_t h, code_t low, code_t last, uint size,
                                   uint outside)
{
    const uint cell_groups = h.tables[CLSORT__HEAD_CELL_GROUPS],
               room = cell_groups ? CLSORT__EDGE_EVEN_ROOM(CLSORT_BUCKET_TILE, CLSORT_GROUP)
                                  : CLSORT__EDGE_ROOM(CLSORT_BUCKET_TILE),
               needed = (size / room + 1) << !cell_groups,
               wanted = outside || (code_t)(last - low) < h.second_digits ? h.second_digits
                                                                          : needed;
    linear_map_t map = make_map(low, last, max(min(wanted, h.second_digits), 1u), 0);
    if (!cell_groups && !one_code_parts(map) && h.second_digits)
        map.factor &= ~1u;
    return map;
}

/* 1 if range `digit` is a heavy code's. */
INLINE uint is_heavy_range(hybrid_t h, uint digit)
{
    return digit < h.tables[CLSORT__HEAD_DIGITS] && hybrid_range(h, digit)[RANGE_HEAVY] != 0;
}

/* 1 if the range low ... last has a code in common with the margin where the least key may lie
   (edge = CLSORT__HEAD_FIRST) or where the greatest key may lie (edge = CLSORT__HEAD_LAST). */
INLINE uint is_edge(hybrid_t h, code_t low, code_t last, uint edge)
{
    return last >= table_code(h.tables + edge) && low <= table_code(h.tables + edge + 2);
}

/* Writes the table entry of range `digit`, which has `size` keys, and clears SKIP_PASSES if the
   range has too many. tiles: the sum of range_tiles of all ranges before it. group_digits: the
   number of second digits of each cell group if they have been counted, else 0. */
INLINE void write_range(hybrid_t h, uint digit, uint size, uint tiles, uint group_digits)
{
    global uint *range = hybrid_range(h, digit);
    const uint used = digit < h.tables[CLSORT__HEAD_DIGITS],
               next = digit + 1 < h.tables[CLSORT__HEAD_DIGITS];
    const code_t low = used ? table_code(range + RANGE_LOW) : 0,
                 last = next ? table_code(range + CLSORT__HYBRID_RANGE_WORDS + RANGE_LOW) - 1
                             : CLSORT_TOP_CODE;
    const code_t gap = table_code(h.tables + CLSORT__HEAD_GAP_LOW);
    const uint outside = digit == 0 || !next || (low <= gap && gap <= last)
                         || is_edge(h, low, last, CLSORT__HEAD_FIRST)
                         || is_edge(h, low, last, CLSORT__HEAD_LAST);
    linear_map_t map = make_range_map(h, low, last, size, outside);
    if (group_digits != 0 && is_cell_group(digit)) {
        map.shift = h.tables[CLSORT__HEAD_SHIFT];
        map.factor = (uint)group_factor(h.tables[CLSORT__HEAD_FACTOR], group_digits);
    }
    if (!used)
        set_table_code(range + RANGE_LOW, low);
    set_table_code(range + RANGE_LAST, last);
    range[RANGE_SHIFT] = map.shift;
    range[RANGE_FACTOR] = map.factor;
    range[RANGE_TILES] = tiles;
    if (size > h.n / CLSORT__EDGE_HEAVY_PART && !is_heavy_range(h, digit)
        && !(h.second_digits && one_code_parts(map)))
        atomic_and(h.skip_passes, 0);
    if (h.second_digits == 0 && !one_code_parts(map))
        check_bucket(h, size);
}

/* The number of tiles of range `digit` that resplit moves. size: its keys. */
INLINE uint range_tiles(hybrid_t h, uint digit, uint size)
{
    return is_heavy_range(h, digit) ? 0 : (size + CLSORT_RADIX_TILE - 1) / CLSORT_RADIX_TILE;
}

//---- hybrid: ranges kernel [HYBRID]
/* Returns the number of second digits of each cell group if `count` has counted them and the counts
   can be used, else 0. They cannot be used if a cell group has too many keys for that number of
   buckets. Then this discards them: each range gets its own number of second digits, and recount
   counts those. Called by all work-items with `sums` free; has barriers. */
INLINE uint check_group_digits(hybrid_t h, local uint *sums)
{
    const uint counted = h.tables[CLSORT__HEAD_GROUP_DIGITS],
               most = counted * CLSORT__EDGE_MOST_EVEN(CLSORT_BUCKET_TILE, CLSORT_GROUP);
    uint crowded = 0;
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP)
        crowded |= counted != 0 && is_cell_group(d) && h.next[d] > most;
    crowded = group_total(crowded, sums);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = local_id(); i < CLSORT__HYBRID_DIGITS * h.second_digits && crowded;
         i += CLSORT_GROUP)
        h.buckets[i] = 0;
    if (local_id() == 0 && crowded)
        h.tables[CLSORT__HEAD_GROUP_DIGITS] = 0;
    return crowded ? 0 : counted;
}

/* One work-group: replaces each range's count in `next` by the place where the range begins, and
   writes the ranges. If the keys are in order, notes that. Later kernels read in `next` where each
   range ends: split adds to the word as it moves keys. It moves no keys of heavy codes, so here the
   word of a heavy code's range becomes the end of the range. space: 2 * CLSORT_GROUP + 1 words. */
CLSORT_KERNEL void clsort_hybrid_ranges(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    local uint *sums = (local uint *)space;
    const uint own = CLSORT__HYBRID_DIGITS / CLSORT_GROUP, first = local_id() * own;
    uint size[CLSORT__HYBRID_DIGITS / CLSORT_GROUP], sum = 0, tiles = 0, total;
    if (!hybrid_sorts(h))
        return;
    const uint order = h.tables[CLSORT__HEAD_ORDER], counted = check_group_digits(h, sums);
    for (uint k = 0; k < own; k++) {
        size[k] = h.next[first + k];
        sum += size[k];
        tiles += range_tiles(h, first + k, size[k]);
    }
    sum = group_scan_total(sum, sums, &total);
    if (local_id() == 0 && total != h.n)    /* a counter of 16 bits has overflowed */
        atomic_and(h.skip_passes, 0);
    tiles = group_scan_total(tiles, sums, &total);
    for (uint k = 0; k < own; k++) {
        h.next[first + k] = is_heavy_range(h, first + k) ? sum + size[k] : sum;
        write_range(h, first + k, size[k], tiles, counted);
        sum += size[k];
        tiles += range_tiles(h, first + k, size[k]);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (local_id() == 0) {
        h.tables[CLSORT__HEAD_TILES] = order ? 0 : total;
        if (order)   /* even if this kernel has cleared the word: the keys need no sort */
            *h.skip_passes = 1 + order;
    }
}

//---- hybrid: a tile moves [HYBRID]
/* The local memory of split and resplit.
     staged            the codes of a tile, in the order of their digits
     counters[digit]   how many of these have the digit; later where the first of them is staged
     offsets[digit]    what to add to a code's place in `staged` to get its place in the target
     sums              for scans
     masks             see first_finder */
typedef struct {
    local code_t *staged;
    local uint *counters, *offsets, *sums, *masks;
} split_space_t;

INLINE split_space_t split_space(local ulong2 *space)
{
    local uint *counters = (local uint *)space + CLSORT_RADIX_TILE * CLSORT_SPLIT_BYTES / 4,
               *offsets = counters + CLSORT_MOST_SECOND_DIGITS,
               *sums = offsets + CLSORT_MOST_SECOND_DIGITS;
    const split_space_t l = { (local code_t *)space, counters, offsets, sums,
                              sums + 2 * CLSORT_GROUP + 2 };
    return l;
}

/* Reserves places in the target for a tile of `size` keys: one atomic_add to next[digit] for all
   keys of a digit. Also scans the counters, so that they become places in `staged`. Without
   CLSORT_BRANCH_BARRIERS, tiles of no keys come here, too. Called by all work-items after the
   counts and a barrier; needs a barrier after. */
INLINE void reserve_places(split_space_t l, global uint *next, uint size, const uint by)
{
    const uint own = (by == BY_MAP ? CLSORT_MOST_SECOND_DIGITS : CLSORT__HYBRID_DIGITS)
                     / CLSORT_GROUP,
               first = local_id() * own;
    uint count[CLSORT_MOST_SECOND_DIGITS / CLSORT_GROUP],
        place[CLSORT_MOST_SECOND_DIGITS / CLSORT_GROUP], sum = 0;
    #pragma unroll
    for (uint k = 0; k < own; k++) {
        count[k] = CLSORT_BRANCH_BARRIERS || size != 0 ? l.counters[first + k] : 0;
        place[k] = count[k] ? atomic_add(&next[first + k], count[k]) : 0;
        sum += count[k];
    }
    sum = group_scan(sum, l.sums);
    #pragma unroll
    for (uint k = 0; k < own; k++) {
        l.counters[first + k] = sum;
        l.offsets[first + k] = place[k] - sum;
        sum += count[k];
    }
}

/* A tile to move. from: where its `size` keys lie; to: the target; next[digit]: the next free place
   of the digit in the target. */
typedef struct {
    array_t from, to;
    global uint *next;
    uint size;
} tile_move_t;

/* Staged codes that a work-item loads before it stores the first one. */
#if CLSORT_KEY_BYTES == 4
#define CLSORT_STAGED_AHEAD 8
#else
#define CLSORT_STAGED_AHEAD CLSORT_RADIX_ITEMS
#endif

/* 1 if the digit of each staged code is kept as a byte, in the local memory of the masks. With
   CLSORT_WIDE local memory has no room for these bytes. */
#define CLSORT_KEEPS_DIGITS(by) ((by) == BY_MASKS && !CLSORT_WIDE)

/* Writes the i-th staged code of a tile, as a key, to its place in the target. */
INLINE void write_one(tile_move_t v, finder_t s, split_space_t l, codec_t codec, uint i,
                      const uint by)
{
    const local uchar *digits = (local uchar *)l.masks;
    const code_t code = l.staged[i];
    const uint digit = CLSORT_KEEPS_DIGITS(by) ? (uint)digits[i] : split_digit(s, code, by);
    store_key(v.to, l.offsets[digit] + i, decode(code, codec));
}

/* Writes the staged codes of a whole tile. */
INLINE void write_staged(tile_move_t v, finder_t s, split_space_t l, codec_t codec,
                         const uint by)
{
    #pragma unroll CLSORT_STAGED_AHEAD
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        if (CLSORT_BRANCH_BARRIERS || v.size != 0)
            write_one(v, s, l, codec, local_id() + m * CLSORT_GROUP, by);
}

//---- hybrid: whole tiles [HYBRID]
/* Makes the compiler forget how it computed a code or a word: empty assembly might change it. */
#if CLSORT_WARPS && CLSORT_KEY_BYTES == 8
#define CLSORT_OPAQUE_CODE(x) __asm__ volatile("" : "+l"(x))
#define CLSORT_OPAQUE_WORD(x) __asm__ volatile("" : "+r"(x))
#elif CLSORT_WARPS
#define CLSORT_OPAQUE_CODE(x) __asm__ volatile("" : "+r"(x))
#define CLSORT_OPAQUE_WORD(x) __asm__ volatile("" : "+r"(x))
#else
#define CLSORT_OPAQUE_CODE(x)
#define CLSORT_OPAQUE_WORD(x)
#endif

/* What a work-item keeps in registers of its part of a tile: codes; rank, each code's rank among
   the tile's codes with its digit, two ranks in a word; digits, four digits in a word. With BY_MAP
   digits are not kept: they are computed again from the codes. */
typedef struct {
    code_t code[CLSORT_RADIX_ITEMS];
    uint rank[CLSORT_RANK_WORDS], digits[CLSORT_DIGIT_WORDS];
} kept_t;

//---- hybrid: whole tiles move [HYBRID]
/* Finds the digits of the kept codes. The words of digits are made opaque, so that the compiler
   does not keep their parts in registers, too: registers bound how many work-groups run at the same
   time. */
INLINE void find_kept(kept_t *k, finder_t s, const uint by)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        set_digit(k->digits, m, split_digit(s, k->code[m], by));
    #pragma unroll
    for (uint m = 0; m < CLSORT_DIGIT_WORDS; m++)
        CLSORT_OPAQUE_WORD(k->digits[m]);
}

/* The digit of the m-th kept code. */
INLINE uint kept_digit(const kept_t *k, finder_t s, uint m, const uint by)
{
    return by == BY_MAP ? split_digit(s, k->code[m], by) : get_digit(k->digits, m);
}

/* 1 if atomics would wait for one counter, as they do when keys are sorted. With warps: if many
   lanes have the digit of the first lane. Without: if the work-item's first two keys have equal
   digits, and its middle two keys, too. Called by whole warps. */
INLINE uint digits_crowd(const kept_t *k, finder_t s, const uint by)
{
    const uint digit = kept_digit(k, s, 0, by), middle = CLSORT_RADIX_ITEMS / 2;
    return CLSORT_WARPS ? lanes_crowd(digit, CLSORT__EDGE_DIGITS_CROWD)
                        : digit == kept_digit(k, s, 1, by)
                              && kept_digit(k, s, middle - 1, by) == kept_digit(k, s, middle, by);
}

/* Counts the digits of a work-item's keys, and keeps their ranks. One atomic adds each run of
   consecutive keys with equal digits. */
INLINE void rank_repeats(kept_t *k, finder_t s, local uint *counters, const uint by)
{
    uint place = 0, base = 0;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        place = m && kept_digit(k, s, m, by) == kept_digit(k, s, m - 1, by) ? place + 1 : 0;
        set_rank(k->rank, m, place);
    }
    #pragma unroll
    for (uint i = 1; i <= CLSORT_RADIX_ITEMS; i++) {
        const uint m = CLSORT_RADIX_ITEMS - i, digit = kept_digit(k, s, m, by),
                   rank = get_rank(k->rank, m);
        if (i == 1 || digit != kept_digit(k, s, m + 1, by))
            base = atomic_add(&counters[digit], rank + 1);
        k->rank[m / 2] = m % 2 ? (k->rank[m / 2] & 0xFFFF) | (base + rank) << 16
                               : (k->rank[m / 2] & 0xFFFF0000) | (base + rank);
    }
}

/* Counts the digits of a work-item's keys one by one. A key's rank is the value that its counter
   had before. crowds: see rank_one. */
INLINE void rank_kept(kept_t *k, finder_t s, local uint *counters, const uint by,
                      const uint crowds)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        set_rank(k->rank, m, rank_one(counters, kept_digit(k, s, m, by), crowds));
    #pragma unroll
    for (uint m = 0; m < CLSORT_RANK_WORDS; m++)
        CLSORT_OPAQUE_WORD(k->rank[m]);
}

//---- hybrid: whole tiles are staged [HYBRID]
/* Stages the kept codes. A code's place in `staged` is the place where its digit begins, plus its
   rank. */
INLINE void stage_kept(const kept_t *k, finder_t s, split_space_t l, const uint by)
{
    if (by == BY_MAP)
        CLSORT_OPAQUE_CODE(s.map.low);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint d = kept_digit(k, s, m, by),
                   place = l.counters[d] + get_rank(k->rank, m);
        l.staged[place] = k->code[m];
        if (CLSORT_KEEPS_DIGITS(by) && !s.cell_groups)
            ((local uchar *)l.masks)[place] = (uchar)d;
    }
}

/* Finds the digits of the kept codes, and counts them. With by = BY_MASKS they are first digits; if
   ranges are cell groups, they are found BY_CELL_GROUPS instead. moves = 0: the tile has no keys,
   which happens only without CLSORT_BRANCH_BARRIERS. Ranks are then set to 0, since PoCL 7.1
   crashes if a variable is live across a barrier but never set. */
INLINE void count_kept(kept_t *k, finder_t s, local uint *counters, const uint by,
                       uint moves)
{
    if (by == BY_MASKS && s.cell_groups)
        find_kept(k, s, BY_CELL_GROUPS);
    else if (by != BY_MAP)
        find_kept(k, s, by);
    const uint crowds = moves && digits_crowd(k, s, by);
    if (crowds && CLSORT_WARPS)
        rank_kept(k, s, counters, by, 1);
    else if (crowds)
        rank_repeats(k, s, counters, by);
    else if (moves)
        rank_kept(k, s, counters, by, 0);
    else {
        #pragma unroll
        for (uint m = 0; m < CLSORT_RANK_WORDS; m++)
            k->rank[m] = 0;
    }
}

//---- hybrid: tiles of codes move [HYBRID.group]
/* Moves a whole tile. Without CLSORT_BRANCH_BARRIERS, tiles of no keys come here, too. Called by
   all work-items with the counters cleared. */
INLINE void move_tile(tile_move_t v, finder_t s, split_space_t l, codec_t codec,
                      const uint by)
{
    const uint moves = CLSORT_BRANCH_BARRIERS || v.size != 0;
    const array_t from = advance(v.from, moves ? local_id() : 0);
    kept_t k;
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        k.code[m] = load_key(from, moves ? m * CLSORT_GROUP : 0);
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        k.code[m] = encode(k.code[m], codec);
    count_kept(&k, s, l.counters, by, moves);
    local_barrier();
    reserve_places(l, v.next, v.size, by);
    local_barrier();
    if (moves)
        stage_kept(&k, s, l, by);
    local_barrier();
    if (by == BY_MASKS && s.cell_groups)
        write_staged(v, s, l, codec, BY_CELL_GROUPS);
    else
        write_staged(v, s, l, codec, by);
}

//---- hybrid: light codes move [HYBRID.group]
/* The digit of a code in a tile that is partial, or that may have heavy codes. */
INLINE uint light_digit(finder_t s, code_t code)
{
    return split_digit(s, code, CLSORT_PAIRS ? BY_KEYS : BY_HEAVIES);
}

/* Stages the codes of a tile, and counts the codes that are not heavy. Returns a bit for each key
   of the work-item: 1 if it was counted. Called by all work-items with the counters cleared. */
INLINE uint count_light(tile_move_t v, finder_t s, split_space_t l, codec_t codec)
{
    uint light = 0;
    local_barrier();
    #pragma unroll 8
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint i = local_id() + m * CLSORT_GROUP;
        l.staged[i] = encode(load_key(v.from, min(i, max(v.size, 1u) - 1)), codec);
    }
    #pragma unroll 2
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint i = local_id() + m * CLSORT_GROUP,
                   d = i < v.size ? light_digit(s, l.staged[i]) : CLSORT_HEAVY_FLAG;
        if (d < CLSORT_HEAVY_FLAG) {
            atomic_inc(&l.counters[d]);
            light |= 1u << m;
        }
    }
    return light;
}

/* Writes the keys that count_light has counted. counters[digit] is the place in the target of the
   digit's next key. */
INLINE void write_light(tile_move_t v, finder_t s, split_space_t l, codec_t codec,
                        uint light)
{
    #pragma unroll 2
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        if (light >> m & 1) {
            const code_t code = l.staged[local_id() + m * CLSORT_GROUP];
            const uint d = light_digit(s, code);
            store_key(v.to, atomic_inc(&l.counters[d]), decode(code, codec));
        }
}

/* Moves a tile, whole or partial, but no keys of heavy codes. Each work-item writes its keys
   straight to the target; the keys are not first put in the order of their digits. */
INLINE void move_light(tile_move_t v, finder_t s, split_space_t l, codec_t codec)
{
    const uint light = count_light(v, s, l, codec);
    local_barrier();
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP)
        if (v.size != 0 && l.counters[d] != 0)
            l.counters[d] = atomic_add(&v.next[d], l.counters[d]);
    local_barrier();
    write_light(v, s, l, codec, light);
}

//---- hybrid: values move [HYBRID.carries]
/* Writes the staged codes of a whole tile. to[m] becomes the place of the work-item's m-th one in
   the target, where its value belongs, too. */
INLINE void write_codes(tile_move_t v, finder_t s, split_space_t l, codec_t codec, uint *to,
                        const uint by)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint i = local_id() + m * CLSORT_GROUP;
        const code_t code = l.staged[i];
        to[m] = i + l.offsets[CLSORT_KEEPS_DIGITS(by) ? (uint)((local const uchar *)l.masks)[i]
                                                      : split_digit(s, code, by)];
        store_key(v.to, to[m], decode(code, codec));
    }
}

/* Stages the kept codes as stage_kept does, and keeps their places. */
INLINE void keep_places(const kept_t *k, finder_t s, split_space_t l, uint *place, uint moves,
                        const uint by)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {
        const uint d = moves ? kept_digit(k, s, m, by) : 0;
        place[m] = l.counters[d] + get_rank(k->rank, m);
        if (moves)
            l.staged[place[m]] = k->code[m];
        if (moves && CLSORT_KEEPS_DIGITS(by) && !s.cell_groups)
            ((local uchar *)l.masks)[place[m]] = (uchar)d;
    }
}

/* Stages the values of `items` codes at the places of these, and writes them to the places in the
   target that write_codes found. */
INLINE void move_carried(split_space_t l, array_t target, const unit_t *value, const uint *place,
                         const uint *to, uint items)
{
    local unit_t *values = (local unit_t *)l.staged;
    #pragma unroll
    for (uint m = 0; m < items; m++)
        values[place[m]] = value[m];
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < items; m++)
        *value_place(target, to[m]) = values[local_id() + m * CLSORT_GROUP];
}

/* Moves a whole tile: stages and writes its codes, then its values in the same memory. Without
   CLSORT_BRANCH_BARRIERS, tiles of no keys come here, too. Called by all work-items with the
   counters cleared. */
INLINE void move_tile(tile_move_t v, finder_t s, split_space_t l, codec_t codec, const uint by)
{
    const uint moves = CLSORT_BRANCH_BARRIERS || v.size != 0;
    const array_t from = advance(v.from, moves ? local_id() : 0);
    kept_t k;
    unit_t value[CLSORT_RADIX_ITEMS];
    uint place[CLSORT_RADIX_ITEMS], to[CLSORT_RADIX_ITEMS] = { 0 };
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        k.code[m] = encode(load_key(from, moves ? m * CLSORT_GROUP : 0), codec);
    local_barrier();
    count_kept(&k, s, l.counters, by, moves);
    local_barrier();
    reserve_places(l, v.next, v.size, by);
    #pragma unroll
    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)
        value[m] = *value_place(from, moves ? m * CLSORT_GROUP : 0);
    local_barrier();
    keep_places(&k, s, l, place, moves, by);
    local_barrier();
    if (moves && by == BY_MASKS && s.cell_groups)
        write_codes(v, s, l, codec, to, BY_CELL_GROUPS);
    else if (moves)
        write_codes(v, s, l, codec, to, by);
    local_barrier();
    move_carried(l, v.to, value, place, to, moves ? CLSORT_RADIX_ITEMS : 0);
}

/* Moves up to a tile of elements, each straight to its place. Keys are loaded twice: to count their
   digits, of which there are `digits`, and to move. Called by all work-items with the counters
   cleared. */
INLINE void move_straight(tile_move_t v, finder_t s, split_space_t l, codec_t codec,
                          const uint digits, const uint by)
{
    for (uint moves = 0; moves < 2; moves++) {
        local_barrier();
        for (uint at = local_id(); at < v.size; at += CLSORT_AHEAD * CLSORT_GROUP) {
            code_t code[CLSORT_AHEAD];
            unit_t value[CLSORT_AHEAD];
            load_within(code, v.from, codec, at, v.size);
            #pragma unroll
            for (uint m = 0; m < CLSORT_AHEAD; m++)
                value[m] = moves ? *value_place(v.from, min(at + m * CLSORT_GROUP, v.size - 1)) : 0;
            #pragma unroll
            for (uint m = 0; m < CLSORT_AHEAD; m++)
                if (at + m * CLSORT_GROUP < v.size) {
                    const uint to = atomic_inc(&l.counters[split_digit(s, code[m], by)]);
                    if (moves) {
                        store_key(v.to, to, decode(code[m], codec));
                        *value_place(v.to, to) = value[m];
                    }
                }
        }
        local_barrier();
        for (uint d = local_id(); d < digits && !moves && v.size != 0; d += CLSORT_GROUP)
            if (l.counters[d] != 0)
                l.counters[d] = atomic_add(&v.next[d], l.counters[d]);
    }
}

/* The partial tiles of split and of resplit. */
#define move_light(v, s, l, c) move_straight(v, s, l, c, CLSORT__HYBRID_DIGITS, BY_MASKS)
#define move_partial(v, s, l, c) move_straight(v, s, l, c, CLSORT_MOST_SECOND_DIGITS, BY_MAP)

//---- hybrid: keys in order [HYBRID]
/* Copies a tile of `size` keys that ascend already from the source to the target, or, if they
   descend, to mirrored places. In place, keys that ascend stay. Of two keys that change places, the
   work-item of the first one moves both. */
INLINE void copy_ordered(hybrid_t h, uint begin, uint size)
{
    const uint stays = h.source.keys == h.CLSORT_RESULT.keys,
               mirrors = *h.skip_passes == 1 + ORDER_DESCENDS, last = h.n - 1,
               end = stays ? min(begin + size, mirrors ? h.n / 2 : 0) : begin + size;
    for (uint at = begin + local_id(); at < end; at += CLSORT_AHEAD * CLSORT_GROUP) {
        code_t key[CLSORT_AHEAD], other[CLSORT_AHEAD];
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++) {
            const uint i = at + m * CLSORT_GROUP;
            key[m] = i < end ? load_key(h.source, i) : 0;
            other[m] = stays && i < end ? load_key(h.source, last - i) : 0;
        }
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++) {
            const uint i = at + m * CLSORT_GROUP;
            if (i >= end)
                continue;
            store_key(h.CLSORT_RESULT, mirrors ? last - i : i, key[m]);
            if (stays)
                store_key(h.CLSORT_RESULT, i, other[m]);
        }
    }
}

//---- hybrid: split [HYBRID]
/* Moves keys from the source to their ranges in alt; a work-group per tile. If all keys have heavy
   codes, nothing moves; keys that are in order go to the target. space: CLSORT_RADIX_TILE codes;
   then 2 * CLSORT_MOST_SECOND_DIGITS + 2 * CLSORT_GROUP + 2 words; then CLSORT_CELL_MASKS words and
   CLSORT__EDGE_HEAVIES codes. The last part also has room for CLSORT_RADIX_TILE bytes, unless
   CLSORT_WIDE. */
CLSORT_KERNEL void clsort_hybrid_split(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    const split_space_t l = split_space(space);
    const uint begin = (uint)get_group_id(0) * CLSORT_RADIX_TILE,
               size = min(h.n - min(h.n, begin), CLSORT_RADIX_TILE + 0u),
               whole = size == CLSORT_RADIX_TILE;
    if (!CLSORT_VALUES_TOO && size && *h.skip_passes > 1)
        copy_ordered(h, begin, size);
    if (size == 0 || !hybrid_sorts(h) || h.tables[CLSORT__HEAD_TILES] == 0)
        return;
    const finder_t s = first_finder(h, l.masks, !whole || !h.tables[CLSORT__HEAD_CELL_GROUPS]);
    const tile_move_t v = { advance(h.source, begin), h.alt, h.next, size };
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP)
        l.counters[d] = 0;
    if (!CLSORT_BRANCH_BARRIERS) {
        tile_move_t all = v, light = v;
        all.size = whole && !s.heavies ? size : 0;
        light.size = size - all.size;
        move_tile(all, s, l, h.codec, CLSORT_PAIRS ? BY_KEYS : BY_MASKS);
        move_light(light, s, l, h.codec);
    } else if (!whole || s.heavies) move_light(v, s, l, h.codec);
    else move_tile(v, s, l, h.codec, CLSORT_PAIRS ? BY_KEYS : BY_MASKS);
}

//---- hybrid: second digits [HYBRID]
/* A part of range `digit` that a work-group takes: `size` keys from place `begin` on, in `tiles`
   tiles; size 0: no part. */
typedef struct { uint digit, begin, size, tiles; } range_part_t;

/* Finds the range of tile `tile`, and returns the part of this range that begins with the tile and
   has up to `most` tiles. found: a word of local memory. Called by all work-items with the word
   free; it is free again after the next barrier. */
INLINE range_part_t find_range_part(hybrid_t h, uint tile, uint most, local uint *found)
{
    const uint total = h.tables[CLSORT__HEAD_TILES];
    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP) {
        const uint last = d == CLSORT__HYBRID_DIGITS - 1,
                   end = last ? total : hybrid_range(h, d + 1)[RANGE_TILES];
        if (hybrid_range(h, d)[RANGE_TILES] <= tile && tile < end)
            *found = d;
    }
    local_barrier();
    range_part_t p = { *found, 0, 0, 0 };
    const uint start = p.digit ? h.next[p.digit - 1] : 0, end = h.next[p.digit];
    p.begin = start + (tile - hybrid_range(h, p.digit)[RANGE_TILES]) * CLSORT_RADIX_TILE;
    p.size = min(end - p.begin, most * CLSORT_RADIX_TILE);
    p.tiles = (p.size + CLSORT_RADIX_TILE - 1) / CLSORT_RADIX_TILE;
    return p;
}

/* Counts the second digits of the keys in alt, except of ranges for which clsort_hybrid_count has
   done so. A work-group takes CLSORT__HYBRID_RECOUNT_TILES tiles. space:
   CLSORT_MOST_SECOND_DIGITS + 1 words. */
CLSORT_KERNEL void clsort_hybrid_recount(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    local uint *counters = (local uint *)space, *found = counters + CLSORT_MOST_SECOND_DIGITS;
    if (!hybrid_sorts(h))
        return;
    uint order = ORDER_NONE, tile = (uint)get_group_id(0) * CLSORT__HYBRID_RECOUNT_TILES;
    const uint end = min(tile + CLSORT__HYBRID_RECOUNT_TILES, h.tables[CLSORT__HEAD_TILES]),
               counted = h.tables[CLSORT__HEAD_GROUP_DIGITS],
               inner = hybrid_range(h, 1)[RANGE_TILES],
               outer = hybrid_range(h, CLSORT__HYBRID_DIGITS - 1)[RANGE_TILES];
    if (counted && tile >= inner && end <= outer)
        return;
    while (tile < end) {
        const range_part_t p = find_range_part(h, tile, end - tile, found);
        const finder_t s = { load_range_map(h, p.digit), 0, 0, 0, 0, 0, { 0, 0, 0 } };
        clear_words(counters, second_digits);
        local_barrier();
        count_by_split(s, advance(h.alt, p.begin), h.codec,
                       counted && is_cell_group(p.digit) ? 0 : p.size, 0,
                       CLSORT_AHEAD * CLSORT_GROUP, counters, &order, BY_MAP);
        local_barrier();
        for (uint d = local_id(); d < second_digits; d += CLSORT_GROUP)
            if (counters[d] != 0)
                atomic_add(&h.buckets[p.digit * second_digits + d], counters[d]);
        tile += p.tiles;
    }
}

//---- hybrid: starts [HYBRID]
/* The number of keys with second digit d; 0 if d is above the last second digit. With joins = 1,
   digit d is the former digits 2 * d and 2 * d + 1. */
INLINE uint second_digit_count(local const uint *counts, uint d, uint second_digits,
                               uint joins)
{
    if (d >= (joins ? second_digits / 2 : second_digits))
        return 0;
    return joins ? counts[2 * d] + counts[2 * d + 1] : counts[d];
}

/* 1 if a bucket of `size` keys must be sorted by a work-group, or moved to the result. one_code: 1
   if its codes are equal. */
INLINE uint needs_sort(uint size, uint one_code)
{
    return CLSORT_IS_LISTED(size, one_code);
}

/* Joins the second digits of a range in twos, if the keys of every two fit into a bucket. Returns 1
   if it does. A range has got twice the digits that it needs on average, because the density of
   floats halves at a power of two: behind it, digits have twice as many keys. Digits of cell
   groups, and digits of one code each, are not joined.
     counts: the keys of each second digit; free: a word of local memory. Called by all work-items
   after a barrier; ends with a barrier. */
INLINE uint join_second_digits(hybrid_t h, uint digit, local uint *counts, local uint *free)
{
    const linear_map_t map = load_range_map(h, digit);
    if (local_id() == 0)
        *free = 0;
    local_barrier();
    for (uint d = local_id(); d < h.second_digits / 2; d += CLSORT_GROUP)
        if (!fits_bucket(counts[2 * d] + counts[2 * d + 1]))
            *free = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint joins = !*free && !h.tables[CLSORT__HEAD_CELL_GROUPS] && !one_code_parts(map);
    if (joins && local_id() == 0)
        hybrid_range(h, digit)[RANGE_FACTOR] = map.factor / 2;
    return joins;
}

/* Appends to the list of buckets to sort each of the work-item's `own` buckets that needs a sort.
   Called by all work-items with `sums` free; ends with a barrier. */
INLINE void list_buckets(hybrid_t h, uint digit, local const uint *counts, uint joins,
                         uint one_code, uint own, local uint *sums)
{
    const uint first = local_id() * own;
    uint found = 0, total;
    #pragma unroll 1
    for (uint k = 0; k < own; k++)
        found += needs_sort(second_digit_count(counts, first + k, h.second_digits, joins),
                            one_code);
    uint place = group_scan_total(found, sums, &total);
    if (local_id() == 0)
        sums[0] = atomic_add(&h.tables[CLSORT__HEAD_LISTED], total);
    local_barrier();
    place += sums[0];
    #pragma unroll 1
    for (uint k = 0; k < own; k++)
        if (needs_sort(second_digit_count(counts, first + k, h.second_digits, joins), one_code))
            hybrid_list(h)[place++] = digit * h.second_digits + first + k;
    local_barrier();
}

/* A work-group for each range: replaces the counts of the range's buckets by the places where they
   begin, and lists the buckets to sort. It does not read SKIP_PASSES, since other work-groups may
   clear this word at the same time. All work-items run loops of equal length, since otherwise
   PoCL 3.1 takes wrong loop bounds. space: 2 * CLSORT_GROUP + 1 + CLSORT_MOST_SECOND_DIGITS
   words. */
CLSORT_KERNEL void clsort_hybrid_starts(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    const uint digit = (uint)get_group_id(0),
               own = (second_digits + CLSORT_GROUP - 1) / CLSORT_GROUP, first = local_id() * own;
    local uint *sums = (local uint *)space, *counts = sums + 2 * CLSORT_GROUP + 1;
    if (h.n == 0 || h.tables[CLSORT__HEAD_TILES] == 0)
        return;
    global uint *next = h.buckets + digit * second_digits;
    const uint one_code = one_code_parts(load_range_map(h, digit));
    for (uint d = local_id(); d < second_digits; d += CLSORT_GROUP)
        counts[d] = next[d];
    local_barrier();
    const uint joins = join_second_digits(h, digit, counts, sums + 2 * CLSORT_GROUP);
    list_buckets(h, digit, counts, joins, one_code, own, sums);
    uint sum = 0, total;
    #pragma unroll 1
    for (uint k = 0; k < own; k++)
        sum += second_digit_count(counts, first + k, second_digits, joins);
    sum = group_scan_total(sum, sums, &total);
    sum += h.next[digit] - total;
    #pragma unroll 1
    for (uint k = 0; k < own; k++) {
        const uint size = second_digit_count(counts, first + k, second_digits, joins);
        if (first + k < second_digits)
            next[first + k] = sum;
        sum += size;
        check_bucket(h, one_code ? 0 : size);
    }
}

//---- hybrid: resplit [HYBRID]
/* Writes the keys of heavy codes to the target. In each heavy code's range, a work-item writes the
   keys first + local_id(), first + local_id() + step, and so on. list: local memory for
   CLSORT__EDGE_HEAVIES codes, then twice as many words: where each range begins and ends. Called by
   all work-items. */
INLINE void fill_heavies(hybrid_t h, local code_t *list, uint first, uint step)
{
    local uint *places = (local uint *)(list + CLSORT__EDGE_HEAVIES);
    const uint heavies = h.tables[CLSORT__HEAD_HEAVIES];
    for (uint k = local_id(); k < heavies; k += CLSORT_GROUP) {
        const uint digit = hybrid_heavy(h, k)[HEAVY_DIGIT];
        list[k] = table_code(hybrid_heavy(h, k) + HEAVY_CODE);
        places[2 * k] = digit ? h.next[digit - 1] : 0;
        places[2 * k + 1] = h.next[digit];
    }
    local_barrier();
    for (uint k = 0; k < heavies; k++) {
        const code_t key = decode(list[k], h.codec);
        for (uint i = places[2 * k] + first + local_id(); i < places[2 * k + 1]; i += step)
            store_key(h.CLSORT_RESULT, i, key);
    }
}

//---- hybrid: partial tiles move [HYBRID.group]
/* One of two readings of a tile, which may be partial. stages = 0: counts the keys by their second
   digits. stages = 1: puts each code into `staged`; counters[digit] is the place of the digit's
   next code there. Called by all work-items; ends with a barrier. */
CLSORT_NOINLINE_NV void pass_partial(global uchar *from, code_t mask, code_t flip, code_t rotate,
                                     uint size, code_t low, uint shift, uint factor, uint before,
                                     local uint *counters, local code_t *staged, uint stages)
{
    const array_t alt = CLSORT_ARRAY_OF(from, from, 0);
    const codec_t codec = { mask, flip, rotate };
    const linear_map_t map = { low, shift, factor, before };
    for (uint at = local_id(); at < size; at += CLSORT_AHEAD * CLSORT_GROUP) {
        code_t code[CLSORT_AHEAD];
        load_within(code, alt, codec, at, size);
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++)
            if (at + m * CLSORT_GROUP < size) {
                const uint place = atomic_inc(&counters[map_part(map, code[m])]);
                if (stages)
                    staged[place] = code[m];
            }
    }
    local_barrier();
}

/* Moves up to a tile of keys by their second digits. Keys are loaded twice: to count and to
   stage. */
INLINE void move_partial(tile_move_t v, finder_t s, split_space_t l, codec_t c)
{
    const linear_map_t map = s.map;
    pass_partial(v.from.keys, c.mask, c.flip, c.rotate, v.size, map.low, map.shift, map.factor,
                 map.before, l.counters, l.staged, 0);
    reserve_places(l, v.next, v.size, BY_MAP);
    local_barrier();
    pass_partial(v.from.keys, c.mask, c.flip, c.rotate, v.size, map.low, map.shift, map.factor,
                 map.before, l.counters, l.staged, 1);
    #pragma unroll 4
    for (uint i = local_id(); i < v.size; i += CLSORT_GROUP)
        write_one(v, s, l, c, i, BY_MAP);
}

//---- hybrid: resplit kernel [HYBRID]
/* Moves keys from alt to their buckets in the target; a work-group per tile. Work-groups beyond the
   last tile, up to CLSORT__HYBRID_FILLERS of them, write the keys of heavy codes. space: as for
   clsort_hybrid_split. */
CLSORT_KERNEL void clsort_hybrid_resplit(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    const split_space_t l = split_space(space);
    const uint tile = (uint)get_group_id(0);
    if (!hybrid_sorts(h))
        return;
    const uint tiles = h.tables[CLSORT__HEAD_TILES],
               fillers = min((uint)get_num_groups(0) - tiles, CLSORT__HYBRID_FILLERS + 0u);
    if (tile >= tiles) {
        if (tile < tiles + fillers)
            fill_heavies(h, l.staged, (tile - tiles) * CLSORT_GROUP, fillers * CLSORT_GROUP);
        return;
    }
    for (uint d = local_id(); d < CLSORT_MOST_SECOND_DIGITS; d += CLSORT_GROUP)
        l.counters[d] = 0;
    const range_part_t p = find_range_part(h, tile, 1, l.sums);
    const finder_t s = { load_range_map(h, p.digit), 0, 0, 0, 0, 0, { 0, 0, 0 } };
    const tile_move_t v = { advance(h.alt, p.begin), h.target,
                            h.buckets + p.digit * second_digits, p.size };
    if (!CLSORT_BRANCH_BARRIERS) {
        tile_move_t all = v, partial = v;
        all.size = p.size == CLSORT_RADIX_TILE ? p.size : 0;
        partial.size = p.size - all.size;
        move_tile(all, s, l, h.codec, BY_MAP);
        local_barrier();
        move_partial(partial, s, l, h.codec);
    } else if (p.size == CLSORT_RADIX_TILE) move_tile(v, s, l, h.codec, BY_MAP);
    else move_partial(v, s, l, h.codec);
}

//---- hybrid: buckets [HYBRID]
/* A bucket.
     begin, size   the place of its first key, and the number of its keys
     resplit       1 if resplit has moved its keys to the target; 0 if they lie in alt
     one_code      1 if its keys can have one code only
     low, last     the least and the greatest code that its keys can have
     map           the map whose part it is; finer parts of this map are its bins */
typedef struct {
    uint begin, size, resplit, one_code;
    code_t low, last;
    linear_map_t map;
} bucket_t;

INLINE bucket_t take_bucket(hybrid_t h, uint number)
{
    const uint resplit = h.second_digits != 0, most = max(h.second_digits, 1u),
               digit = number >> popcount(most - 1);
    global const uint *ends = resplit ? h.buckets : h.next,
                      *range = hybrid_range(h, digit);
    bucket_t b = { number ? ends[number - 1] : 0, 0, resplit, 0, 0, 0, load_range_map(h, digit) };
    const code_t last = table_code(range + RANGE_LAST);
    b.size = ends[number] - b.begin;
    b.one_code = one_code_parts(b.map);
    const ulong part = b.map.before + (number & (most - 1));
    b.low = map_start(b.map, part, 0, last);
    b.last = (code_t)(map_start(b.map, part + 1, 0, last) - 1);
    return b;
}

//---- hybrid: bucket kernel [HYBRID]
/* 1: a work-item encodes its keys after all of them have been loaded, else each key as it arrives.
   With Intel's compiler 1 saves registers, if no build option bounds their number. */
#define CLSORT_ENCODES_LATE !CLSORT_WARPS

/* Loads the codes of a bucket or, with CLSORT_ENCODES_LATE, its keys. The last key replaces keys
   beyond the end. */
INLINE void load_bucket(array_t from, codec_t codec, uint size, CLSORT_ELEMENT *code)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {
        const code_t key = load_key(from, min(local_id() + m * CLSORT_GROUP, size - 1));
        code[m] = CLSORT_WITH_VALUE(CLSORT_ENCODES_LATE ? key : encode(key, codec), from,
                              min(local_id() + m * CLSORT_GROUP, size - 1));
    }
}

/* Sorted codes that a work-item loads before it stores the first one: all of them, or a few if no
   build option bounds the number of registers. */
#if CLSORT_WARPS
#define CLSORT_SORTED_AHEAD CLSORT_BUCKET_ITEMS
#else
#define CLSORT_SORTED_AHEAD 4
#endif

/* Writes the sorted codes of a bucket as keys. CLSORT_GROUP is a multiple of the stretch behind
   which a slot of padding follows. So key_slot(a + m * CLSORT_GROUP) is key_slot(a) +
   key_slot(m * CLSORT_GROUP), and the second slot is a constant. */
INLINE void store_bucket(bucket_space_t l, array_t to, codec_t codec, uint size)
{
    local const CLSORT_ELEMENT *sorted = l.keys + key_slot(local_id());
    const array_t own = advance(to, local_id());
    #pragma unroll CLSORT_SORTED_AHEAD
    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)
        if (local_id() + m * CLSORT_GROUP < size)
            CLSORT_STORE(own, m * CLSORT_GROUP, sorted[key_slot(m * CLSORT_GROUP)], codec);
}

//---- hybrid: buckets of codes [HYBRID.group]
/* Sorts `size` keys, the capacity at most. The sorted keys go to `keys` and `values` in the target.
   The unsorted keys lie there already if in_target = 1, else in alt. low, shift, factor: the map of
   their bins. Called by all work-items with the local memory free; ends with a barrier. */
CLSORT_NOINLINE_NV void sort_bucket(global uchar *keys, global uchar *values, global uchar *alt,
                                    code_t mask, code_t flip, code_t rotate, local ulong2 *space,
                                    uint size, code_t low, uint shift, uint factor, uint in_target)
{
    const array_t to = CLSORT_ARRAY_OF(keys, values, 1),
                  from = CLSORT_ARRAY_OF(in_target && !CLSORT_PAIRS ? keys : alt, alt, 0);
    const codec_t codec = { mask, flip, rotate };
    const linear_map_t map = { low, shift, factor };
    const bucket_space_t l = bucket_space(space);
    code_t key[CLSORT_BUCKET_ITEMS];
    if (CLSORT_PAIRS && in_target) load_bucket(to, codec, size, key);
    else load_bucket(from, codec, size, key);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    #pragma unroll
    for (uint m = 0; m < (CLSORT_ENCODES_LATE ? CLSORT_BUCKET_ITEMS : 0); m++)
        key[m] = encode(key[m], codec);
    sort_bins(l, key, size, map);
    store_bucket(l, to, codec, size);
    local_barrier();
}

/* Calls sort_bucket for `size` keys of a bucket from `begin` on. */
INLINE void sort_bucket_keys(hybrid_t h, local ulong2 *space, uint begin, uint size,
                             linear_map_t map, uint in_target)
{
    const array_t to = advance(h.CLSORT_RESULT, begin);
    sort_bucket(to.keys, to.values, advance(h.CLSORT_OTHER, begin).keys, h.codec.mask, h.codec.flip,
                h.codec.rotate, space, size, map.low, map.shift, map.factor, in_target);
}

//---- hybrid: buckets of values [HYBRID.carries]
/* Sorts `size` elements, the capacity at most, from `begin` on. They lie in the target already if
   in_target = 1, else in alt. map: the map of their bins. Called by all work-items with the local
   memory free; ends with a barrier. */
INLINE void sort_bucket_keys(hybrid_t h, local ulong2 *space, uint begin, uint size,
                             linear_map_t map, uint in_target)
{
    const array_t to = advance(h.CLSORT_RESULT, begin), other = advance(h.CLSORT_OTHER, begin);
    const bucket_space_t l = bucket_space(space);
    element_t element[CLSORT_BUCKET_ITEMS];
    load_bucket(array_at(in_target ? ARRAY_TARGET : ARRAY_ALT, other, to, other), h.codec, size,
                element);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    #pragma unroll
    for (uint m = 0; m < (CLSORT_ENCODES_LATE ? CLSORT_BUCKET_ITEMS : 0); m++)
        element[m].code = encode(element[m].code, h.codec);
    sort_bins(l, element, size, map);
    store_bucket(l, to, h.codec, size);
    local_barrier();
}

//---- hybrid: buckets kernel [HYBRID]
/* Sorts a bucket if it is within the capacity. A bucket of one code needs no sort: its keys are
   written, unless resplit has put them in the target already. Called by all work-items with the
   local memory free. */
INLINE void finish_bucket(hybrid_t h, local ulong2 *space, bucket_t b)
{
    const array_t to = advance(h.CLSORT_RESULT, b.begin);
    for (uint i = local_id(); i < b.size && b.one_code && !CLSORT_IS_WRITTEN(b);
         i += CLSORT_GROUP)
        store_key(to, i, decode(b.CLSORT_ONE_CODE, h.codec));
    if (b.size != 0 && fits_bucket(b.size) && !b.one_code)
        sort_bucket_keys(h, space, b.begin, b.size, b.map, CLSORT_IN_RESULT(b));
}

/* Sorts the listed buckets, or all ranges if each range is one bucket. Any number of work-groups:
   each of G work-groups sorts every G-th bucket. space: CLSORT_KEY_SLOTS codes, padded to 8 bytes;
   CLSORT_BIN_SLOTS + CLSORT__HYBRID_SPARE_BINS + 2 * CLSORT_GROUP + 8 words. */
CLSORT_KERNEL void clsort_hybrid_buckets(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    if (!hybrid_sorts(h))
        return;
    const uint buckets = second_digits ? h.tables[CLSORT__HEAD_LISTED] : CLSORT__HYBRID_DIGITS;
    for (uint i = (uint)get_group_id(0); i < buckets; i += (uint)get_num_groups(0))
        finish_bucket(h, space, take_bucket(h, second_digits ? hybrid_list(h)[i] : i));
}

//---- hybrid: portions [HYBRID.group]
/* A portion of a bucket above the capacity, to be sorted at once: `size` keys. They are all keys of
   the bucket with codes low ... top whose bin by `map` is below `bin`. With one_code = 1 they are
   all keys with the code `low`, more than the capacity. */
typedef struct {
    code_t low, top;
    linear_map_t map;
    uint bin, size, one_code;
} portion_t;

/* Finds the first bin that the capacity has no room for when all bins before it are taken.
   WORD_BIN: this bin, or CLSORT_BUCKET_BINS if all fit; WORD_TAKEN: the keys of the bins before it;
   WORD_HEAVY: the keys of this bin. Called by all work-items after the counts and a barrier; ends
   with a barrier. */
INLINE void fit_bins(bucket_space_t l)
{
    const uint first = local_id() * CLSORT_OWN_BINS;
    uint sum = 0;
    #pragma unroll 1
    for (uint k = 0; k < CLSORT_OWN_BINS; k++)
        sum += l.bins[pad_slot(first + k, 5)];
    sum = group_scan(sum, l.sums);
    #pragma unroll 1
    for (uint k = 0; k < CLSORT_OWN_BINS; k++) {
        const uint count = l.bins[pad_slot(first + k, 5)];
        if (sum <= CLSORT_BUCKET_TILE && count > CLSORT_BUCKET_TILE - sum) {
            l.words[WORD_TAKEN] = sum;
            l.words[WORD_BIN] = first + k;
            l.words[WORD_HEAVY] = count;
        }
        sum += count;
    }
    if (local_id() == CLSORT_GROUP - 1 && sum <= CLSORT_BUCKET_TILE) {
        l.words[WORD_TAKEN] = sum;
        l.words[WORD_BIN] = CLSORT_BUCKET_BINS;
    }
    local_barrier();
}

/* Reads a whole bucket; ignores codes outside low ... top. bin = 0: counts the codes by bins.
   bin > 0: copies the keys whose bins are below `bin` to `keys` and `values`, in any order. Called
   by all work-items with bins and words cleared, after a barrier; ends with a barrier. */
CLSORT_NOINLINE_NV void scan_portion(local ulong2 *space, global uchar *from, global uchar *keys,
                                     global uchar *values, code_t mask, code_t flip, code_t rotate,
                                     uint size, code_t low, uint shift, uint factor, code_t top,
                                     uint bin)
{
    const array_t alt = CLSORT_ARRAY_OF(from, from, 0), to = CLSORT_ARRAY_OF(keys, values, 1);
    const codec_t codec = { mask, flip, rotate };
    const linear_map_t map = { low, shift, factor };
    const bucket_space_t l = bucket_space(space);
    for (uint at = local_id(); at < size; at += CLSORT_AHEAD * CLSORT_GROUP) {
        code_t code[CLSORT_AHEAD];
        load_within(code, alt, codec, at, size);
        #pragma unroll
        for (uint m = 0; m < CLSORT_AHEAD; m++) {
            const uint own = map_bin(map, code[m]);
            if (at + m * CLSORT_GROUP >= size || code[m] < low || code[m] > top)
                continue;
            if (bin == 0)
                atomic_inc(&l.bins[pad_slot(own, 5)]);
            else if (own < bin)
                store_key(to, atomic_inc(&l.words[WORD_COLLECTED]), decode(code[m], codec));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Calls scan_portion for a bucket of which `done` keys are sorted already: the portion goes to the
   target behind those. */
INLINE void scan_bucket(hybrid_t h, local ulong2 *space, bucket_t b, uint done,
                        linear_map_t map, code_t top, uint bin)
{
    const array_t to = advance(h.CLSORT_RESULT, b.begin + done);
    scan_portion(space, advance(h.CLSORT_OTHER, b.begin).keys, to.keys, to.values, h.codec.mask,
                 h.codec.flip, h.codec.rotate, b.size, map.low, map.shift, map.factor, top, bin);
}

/* Finds the next portion of a bucket above the capacity. *low: all keys with codes below it are
   sorted; on return, the first code behind the portion. Keys with codes of *low or above must
   exist. If not even the first bin with keys fits, the codes of this bin alone are cut into bins,
   again and again, until some of the bins fit or the bin is one code. The loop has barriers inside
   and one exit only: with two exits PoCL 6.0 aborts. Called by all work-items; ends with a
   barrier. */
INLINE portion_t next_portion(hybrid_t h, local ulong2 *space, bucket_t b, code_t *low)
{
    const bucket_space_t l = bucket_space(space);
    code_t top = b.last;
    portion_t w;
    do {
        const code_t first = *low;
        const linear_map_t map = make_map(first, top, 1, 0);
        clear_bucket(l);
        scan_bucket(h, space, b, 0, map, top, 0);
        fit_bins(l);
        const uint bin = l.words[WORD_BIN], taken = l.words[WORD_TAKEN],
                   heavy_size = l.words[WORD_HEAVY];
        const code_t begin = map_start(map, bin, CLSORT_BUCKET_BINS_LOG2, top),
                     next = map_start(map, bin + 1, CLSORT_BUCKET_BINS_LOG2, top);
        local_barrier();
        w.low = taken ? first : begin;
        w.top = top;
        w.map = map;
        w.bin = bin;
        w.one_code = taken == 0 && (code_t)(next - begin) == 1;
        w.size = w.one_code ? heavy_size : taken;
        *low = w.one_code ? next : begin;
        top = (code_t)(next - 1);
    } while (w.size == 0);
    return w;
}

//---- hybrid: long buckets [HYBRID.group]
/* Sorts a bucket above the capacity, portion by portion, from alt to the target. Called by all
   work-items. */
INLINE void sort_long(hybrid_t h, local ulong2 *space, bucket_t b)
{
    const array_t alt = advance(h.CLSORT_OTHER, b.begin),
                  target = advance(h.CLSORT_RESULT, b.begin);
    code_t low = b.low;
    for (uint i = local_id(); i < b.size && CLSORT_IN_RESULT(b); i += CLSORT_GROUP)
        store_key(alt, i, load_key(target, i));
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint done = 0; done < b.size;) {
        const portion_t w = next_portion(h, space, b, &low);
        if (!w.one_code) {
            scan_bucket(h, space, b, done, w.map, w.top, w.bin);
            sort_bucket_keys(h, space, b.begin + done, w.size,
                             make_map(w.low, (code_t)(low - 1), 1, 0), 1);
        }
        for (uint i = local_id(); i < w.size && w.one_code; i += CLSORT_GROUP)
            store_key(advance(target, done), i, decode(w.low, h.codec));
        done += w.size;
    }
}

/* Lists buckets above the capacity. Each work-item checks one bucket, whose number is
   first + step * local_id(). list: CLSORT_GROUP words of bucket numbers, then a word that counts
   them. Called by all work-items; ends with a barrier. */
INLINE void list_long(hybrid_t h, local uint *list, uint first, uint step, uint buckets)
{
    const uint number = first + local_id() * step;
    if (local_id() == 0)
        list[CLSORT_GROUP] = 0;
    local_barrier();
    if (number < buckets) {
        const bucket_t b = take_bucket(h, number);
        if (!fits_bucket(b.size) && !b.one_code)
            list[atomic_inc(&list[CLSORT_GROUP])] = number;
    }
    local_barrier();
}

//---- hybrid: no long buckets [HYBRID.carries]
/* Where values are carried, the passes sort what has a bucket above the capacity. */
#define list_long(h, list, first, step, buckets)
#define sort_long(h, space, b)

//---- hybrid: long kernel [HYBRID]
/* Sorts the buckets above the capacity. If SKIP_PASSES has been cleared, clears the tables of the
   passes instead: the passes run next. Any number of work-groups. space: as for
   clsort_hybrid_buckets, then CLSORT_GROUP + 1 words. */
CLSORT_KERNEL void clsort_hybrid_long(CLSORT_HYBRID_ARGS)
{
    const hybrid_t h = CLSORT_HYBRID;
    local uint *list = bucket_space(space).words + 8;
    const uint step = (uint)get_num_groups(0),
               buckets = CLSORT__HYBRID_DIGITS * max(second_digits, 1u);
    if (h.n != 0 && *h.skip_passes == 0)
        clear_passes(h.skip_passes - CLSORT__SKIP_PASSES, h.tables);
    if (!hybrid_sorts(h) || h.tables[CLSORT__HEAD_OVER] == 0)
        return;
    for (uint first = (uint)get_group_id(0); first < buckets; first += step * CLSORT_GROUP) {
        list_long(h, list, first, step, buckets);
        for (uint k = 0; k < list[CLSORT_GROUP]; k++)
            sort_long(h, space, take_bucket(h, list[k]));
        local_barrier();
    }
}

//---- samples [SAMPLES]
/* SAMPLES, for few bare keys, or keys of 4 bytes with values of 4 bytes or indices. A sample of the
   keys splits all keys into BUCKETS, and a work-group sorts each bucket.

     split      a work-group for each tile: sorts the samples, moves the tile's codes to alt, bucket
                by bucket, and writes where the buckets begin in
                the tile                                           reads and writes keys
     bucket     a work-group for each bucket: gathers its fragments from all tiles in alt, sorts
                them, and writes them to the target                reads and writes keys

   Every work-group of split takes the same samples from the source. Their places depend on a seed,
   which the host changes from sort to sort, so that no input is slow each time. A code that many
   samples have gets buckets without other codes: these need no sort. Bins of about equal length
   sort a bucket; if a bin gets many codes, the bucket's codes are merged instead. A bucket with too
   many codes for a work-group is sorted in parts.

   A pair is sorted as a code of 8 bytes: the key's code above, the element's number below. So equal
   keys keep their order. In the end the number fetches the value.

   If all keys fit a work-group, the kernel `tile` alone sorts them, from source to target: each
   work-item sorts its keys in registers; if warps are known, each warp merges the keys of its lanes
   by a bitonic network; longer runs are merged in local memory. Source: N. Leischner, V. Osipov, P.
   Sanders, GPU Sample Sort, 2010. */
/* Arguments of every kernel.
     tile       the keys of a tile
     samples    the number of samples, a multiple of `buckets`
     seed       the samples' places follow from it
     numbers    1 if the target gets the elements' numbers as values */
#define CLSORT_SAMPLES_ARGS \
    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \
        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint tile, \
        uint buckets, uint samples, uint seed, uint numbers, local ulong *space
#define CLSORT_SAMPLES \
    { \
        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_SAMPLES_ALT, CLSORT_CODEC, \
            (global code_t *)(scratch + scratch_at), \
            (global ushort *)((global code_t *)(scratch + scratch_at) + buckets), CLSORT_COUNT(n), \
            tile, (CLSORT_COUNT(n) + tile - 1) / max(tile, 1u), buckets, samples, seed, numbers \
    }
#define CLSORT_SAMPLES_ALT CLSORT_ARRAY_OF(alt_buffer + alt_keys_at, alt_buffer, 0)
typedef struct {
    array_t source, target, alt;
    codec_t codec;
    global code_t *borders;     /* the least code of each bucket but the first */
    global ushort *places;      /* [bucket][tile]: where a bucket begins in a tile */
    uint n, tile, tiles, buckets, samples, seed, numbers;
} samples_t;

#define CLSORT_HELD_SLOTS (CLSORT_TILE_ITEMS + (CLSORT_TILE_ITEMS >> CLSORT_KEY_PAD_LOG2))
typedef struct { local code_t *keys; local uint *sums, *words; } held_space_t;

INLINE held_space_t held_space(local ulong *space)
{
    local uint *sums = (local uint *)(space + (CLSORT_HELD_SLOTS * CLSORT_KEY_BYTES + 7) / 8);
    const held_space_t l = { (local code_t *)space, sums, sums + 2 * CLSORT_GROUP + 1 };
    return l;
}

INLINE code_t held(held_space_t l, uint i)
{
    return l.keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)];
}

//---- samples: in registers [SAMPLES]
/* Sorts each 2 * most consecutive codes of a work-item, which are a bitonic sequence before. */
INLINE void merge_blocks(code_t *v, const uint most)
{
    #pragma unroll
    for (uint step = CLSORT_ITEMS / 2; step > 0; step /= 2) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            if (step <= most && !(m & step))
                order_codes(&v[m], &v[m + step]);
    }
}

/* Intel's compiler for CPUs crashes at the kernel of buckets if these loops, or loops over the
   codes of bins, are fully unrolled. */
#if CLSORT_BRANCH_BARRIERS
#define CLSORT_UNROLL_RUNS 16
#define CLSORT_UNROLL_CODES CLSORT_ITEMS
#else
#define CLSORT_UNROLL_RUNS 1
#define CLSORT_UNROLL_CODES 1
#endif

INLINE void sort_own(code_t *v)
{
    #pragma unroll CLSORT_UNROLL_RUNS
    for (uint run = 1; run < CLSORT_ITEMS; run *= 2) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            if (!(m & run))
                order_codes(&v[m], &v[m ^ (2 * run - 1)]);
        merge_blocks(v, run / 2);
    }
}

#if CLSORT_WARPS
/* The code of lane (own lane ^ mask). */
INLINE code_t other_lane(code_t code, uint mask)
{
    uint low = (uint)code, high = (uint)((ulong)code >> 32);
    __asm__ volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, -1;" : "+r"(low) : "r"(mask));
    if (CLSORT_KEY_BYTES == 8)
        __asm__ volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, -1;" : "+r"(high) : "r"(mask));
    return (code_t)((ulong)high << 32 | low);
}

/* Merges the sorted codes of a warp's lanes. Its loops are not unrolled: unrolled they took 5 %
   more time on an H200 with keys of 4 bytes, 20 % with 8. Called by whole warps. */
INLINE void merge_lanes(code_t *v)
{
    const uint lane = local_id() % CLSORT__WARP;
    #pragma unroll 1
    for (uint run = 1; run < CLSORT__WARP; run *= 2) {
        code_t other[CLSORT_ITEMS];
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            other[m] = other_lane(v[CLSORT_ITEMS - 1 - m], 2 * run - 1);
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            v[m] = lane & run ? max(v[m], other[m]) : min(v[m], other[m]);
        #pragma unroll 1
        for (uint step = run / 2; step > 0; step /= 2) {
            #pragma unroll
            for (uint m = 0; m < CLSORT_ITEMS; m++) {
                const code_t code = other_lane(v[m], step);
                v[m] = lane & step ? max(v[m], code) : min(v[m], code);
            }
        }
        merge_blocks(v, CLSORT_ITEMS / 2);
    }
}
#else
#define merge_lanes(v)
#endif   /* CLSORT_WARPS */

//---- samples: are merged [SAMPLES]
/* Puts the codes of all work-items into local memory. Called by all work-items; begins and ends
   with a barrier. */
INLINE void hold(held_space_t l, const code_t *v)
{
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        l.keys[pad_slot(local_id() * CLSORT_ITEMS + m, CLSORT_KEY_PAD_LOG2)] = v[m];
    local_barrier();
}

/* Returns how many of the first `diagonal` codes of a merge come from its first run. The two runs
   have `run` codes each, and lie side by side from `begin` on. */
INLINE uint split_runs(held_space_t l, uint begin, uint run, uint diagonal)
{
    uint low = diagonal > run ? diagonal - run : 0, high = min(diagonal, run);
    while (low < high) {
        const uint middle = (low + high) / 2,
                   first = held(l, begin + middle) <= held(l, begin + run + diagonal - 1 - middle);
        low = first ? middle + 1 : low;
        high = first ? high : middle;
    }
    return low;
}

/* One round of merges: each two runs of `run` codes become one. The work-item finds the
   CLSORT_ITEMS codes that belong at its own places, and keeps them in v. */
INLINE void merge_held(held_space_t l, code_t *v, uint run)
{
    const uint own = local_id() * CLSORT_ITEMS, begin = own & ~(2 * run - 1),
               last = CLSORT_TILE_ITEMS - 1, split = split_runs(l, begin, run, own - begin),
               end_a = begin + run, end_b = end_a + run;
    uint a = begin + split, b = own + run - split;
    code_t x = held(l, min(a, last)), y = held(l, min(b, last));
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint second = b < end_b && (a >= end_a || y < x);
        v[m] = second ? y : x;
        a += !second;
        b += second;
        const code_t next = held(l, min(second ? b : a, last));
        x = second ? x : next;
        y = second ? next : y;
    }
}

/* Merges the sorted codes of all work-items into local memory. Only the first `size` codes matter.
   Called by all work-items; begins and ends with a barrier. */
INLINE void merge_own(held_space_t l, code_t *v, uint size)
{
    merge_lanes(v);
    hold(l, v);
    for (uint run = CLSORT_ITEMS * (CLSORT_WARPS ? CLSORT__WARP : 1); run < size; run *= 2) {
        merge_held(l, v, run);
        hold(l, v);
    }
}

/* Writes the first `size` codes in local memory. */
INLINE void store_held(held_space_t l, array_t to, codec_t codec, uint size)
{
    for (uint i = local_id(); i < size; i += CLSORT_GROUP)
        *key_place(to, i) = decode(held(l, i), codec);
}

//---- samples: of a tile [SAMPLES.tiles]
/* A work-group sorts a tile. If the tile is partial, only the first work-items hold keys, up to
   CLSORT_ITEMS each: so fewer rounds of merges are needed. */
CLSORT_KERNEL void clsort_samples_tile(CLSORT_SAMPLES_ARGS)
{
    const samples_t s = CLSORT_SAMPLES;
    const held_space_t l = held_space(space);
    const uint begin = (uint)get_group_id(0) * tile, size = min(s.n - begin, tile),
               width = (size + CLSORT_ITEMS - 1) / CLSORT_ITEMS;
    const array_t from = advance(s.source, begin);
    code_t v[CLSORT_ITEMS];
    if (s.n == 0)
        return;
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        v[m] = *key_place(from, min(m * width + local_id(), size - 1));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        v[m] = local_id() < width && m * width + local_id() < size ? encode(v[m], s.codec)
                                                                   : CLSORT_TOP_CODE;
    sort_own(v);
    merge_own(l, v, size);
    store_held(l, advance(s.target, begin), s.codec, size);
}

//---- samples: bins [SAMPLES.group]
/* Bins cut a range of codes into parts of about equal length. A code's place in its bin is its rank
   among the bin's codes. */
#define CLSORT_SAMPLES_OWN_BINS (1 << CLSORT__SAMPLES_OWN_BINS_LOG2)
#define CLSORT_SAMPLES_BINS (CLSORT_GROUP * CLSORT_SAMPLES_OWN_BINS)
/* count: a counter for each bin, and one more; words: see BINS_*. */
typedef struct { local uint *count, *words; } bins_t;
enum { BINS_LONGEST, BINS_KEPT };   /* CLSORT__SAMPLES_WORDS */

INLINE bins_t bins_of(held_space_t l)
{
    const uint slots = CLSORT_SAMPLES_BINS + (CLSORT_SAMPLES_BINS >> CLSORT__WORD_PAD_LOG2) + 1;
    const bins_t b = { l.words, l.words + slots };
    return b;
}

INLINE local uint *bin_slot(bins_t b, uint bin)
{
    return &b.count[pad_slot(bin, CLSORT__WORD_PAD_LOG2)];
}

INLINE local code_t *held_slot(held_space_t l, uint i)
{
    return &l.keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)];
}

/* Called by all work-items; ends with a barrier. */
INLINE void clear_counts(bins_t b)
{
    #pragma unroll
    for (uint k = 0; k < CLSORT_SAMPLES_OWN_BINS; k++)
        *bin_slot(b, local_id() + k * CLSORT_GROUP) = 0;
    if (local_id() == 0)
        b.words[BINS_LONGEST] = 0;
    local_barrier();
}

/* Replaces the counts of bins by the places where bins begin, and writes their sum behind the last
   one. Returns the most codes of a bin. Called by all work-items after the counts and a barrier;
   ends with a barrier. */
INLINE uint place_sample_bins(held_space_t l, bins_t b)
{
    const uint own = CLSORT_SAMPLES_OWN_BINS,
               sum = place_counts(bin_slot(b, local_id() * own), own, own,
                                  CLSORT__EDGE_SAMPLES_LONG_BIN, l.sums, &b.words[BINS_LONGEST]);
    if (local_id() == CLSORT_GROUP - 1)
        *bin_slot(b, CLSORT_SAMPLES_BINS) = sum;
    local_barrier();
    return b.words[BINS_LONGEST];
}

//---- samples: even bins [SAMPLES.group]
/* Bins of about equal length. one_code: 1 if each bin has one code. */
typedef struct { code_t low; uint shift, one_code; float factor; } even_bins_t;

INLINE even_bins_t even_bins(code_t least, code_t most)
{
    const ulong span = (code_t)(most - least);
    const uint shift = 32 - min((uint)clz(span), 32u), one_code = span < CLSORT_SAMPLES_BINS;
    const even_bins_t even = {
        least, shift, one_code,
        one_code ? 1.0f : (float)CLSORT_SAMPLES_BINS / ((float)(uint)(span >> shift) + 1.0f)
    };
    return even;
}

/* The bin of a code. It converts 32 bits of the code to a float, not all 64: every device can do
   that. */
INLINE uint even_bin(even_bins_t even, code_t code)
{
    const float place = (float)(uint)((code_t)(code - even.low) >> even.shift) * even.factor;
    return min((uint)place, CLSORT_SAMPLES_BINS - 1u);
}

#if CLSORT_WARPS
/* The least and the greatest code of the lanes. Called by whole warps. */
INLINE void extremes_of_lanes(code_t *least, code_t *most)
{
    #pragma unroll
    for (uint step = CLSORT__WARP / 2; step > 0; step /= 2) {
        *least = min(*least, other_lane(*least, step));
        *most = max(*most, other_lane(*most, step));
    }
}
#endif

/* The least and the greatest code of all work-items. Called by all work-items with the local memory
   free; ends with a barrier. */
INLINE void extremes_of_group(held_space_t l, code_t *least, code_t *most)
{
#if CLSORT_WARPS
    const uint t = local_id(), warps = CLSORT_GROUP / CLSORT__WARP;
    extremes_of_lanes(least, most);
    if (t % CLSORT__WARP == 0) {
        l.keys[t / CLSORT__WARP] = *least;
        l.keys[warps + t / CLSORT__WARP] = *most;
    }
    local_barrier();
    *least = l.keys[t % warps];
    *most = l.keys[warps + t % warps];
    extremes_of_lanes(least, most);
#else
    put_extremes(l.keys + local_id(), *least, *most);
    join_extremes(l.keys, 0);
    *least = l.keys[0];
    *most = l.keys[CLSORT_GROUP];
#endif   /* CLSORT_WARPS */
    local_barrier();
}

//---- samples: in bins [SAMPLES.group]
/* Counts a code if `inside` is 1. Returns its number in its bin, and in the upper half the bin. */
INLINE uint count_in_bin(bins_t b, uint bin, uint inside)
{
    return inside ? atomic_inc(bin_slot(b, bin)) | bin << 16 : 0;
}

/* Puts codes into their bins. rank: what count_in_bin has returned. PoCL 3.1 miscompiles the loop
   unless it is unrolled. Called by all work-items with the counts placed; ends with a barrier. */
INLINE void move_to_bins(held_space_t l, bins_t b, const code_t *code, const uint *rank,
                         uint size)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (local_id() + m * CLSORT_GROUP < size)
            *held_slot(l, *bin_slot(b, rank[m] >> 16) + (rank[m] & 0xFFFF)) = code[m];
    local_barrier();
}

/* Puts the codes at their final places. A code's place in its bin is its rank: how many codes of
   the bin are smaller, or equal and before it. one_code = 1: all codes of a bin are equal, and stay
   where they are. Called by all work-items with the bins filled; ends with a barrier. */
INLINE void rank_codes(held_space_t l, bins_t b, const code_t *code, uint *rank, uint size,
                       uint one_code)
{
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (local_id() + m * CLSORT_GROUP < size) {
            const uint bin = rank[m] >> 16, begin = *bin_slot(b, bin),
                       own = begin + (rank[m] & 0xFFFF),
                       end = one_code ? begin : *bin_slot(b, bin + 1);
            uint place = one_code ? own : begin;
            #pragma unroll 4
            for (uint i = begin; i < end; i++) {
                const code_t other = held(l, i);
                place += other < code[m] || (other == code[m] && i < own);
            }
            rank[m] = place;
        }
    local_barrier();
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (local_id() + m * CLSORT_GROUP < size)
            *held_slot(l, rank[m]) = code[m];
    local_barrier();
}

/* Sorts the first `size` codes in local memory by merging. Called by all work-items; begins after a
   barrier and ends with one. */
INLINE void merge_codes(held_space_t l, uint size)
{
    const uint width = (size + CLSORT_ITEMS - 1) / CLSORT_ITEMS;
    code_t v[CLSORT_ITEMS];
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        v[m] = local_id() < width && m * width + local_id() < size
                   ? held(l, m * width + local_id())
                   : CLSORT_TOP_CODE;
    sort_own(v);
    merge_own(l, v, size);
}

/* Sorts `size` codes, which work-items hold in registers, into local memory. code[m] is code number
   local_id() + m * CLSORT_GROUP. Called by all work-items with the local memory free; ends with a
   barrier. */
INLINE void sort_in_bins(held_space_t l, bins_t b, const code_t *code, uint size)
{
    uint rank[CLSORT_ITEMS];
    code_t least = CLSORT_TOP_CODE, most = 0;
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (local_id() + m * CLSORT_GROUP < size) {
            least = min(least, code[m]);
            most = max(most, code[m]);
        }
    extremes_of_group(l, &least, &most);
    const even_bins_t even = even_bins(least, most);
    clear_counts(b);
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint i = local_id() + m * CLSORT_GROUP;
        if (m * CLSORT_GROUP < size)
            rank[m] = count_in_bin(b, even_bin(even, code[m]), i < size);
    }
    local_barrier();
    const uint longest = place_sample_bins(l, b);
    move_to_bins(l, b, code, rank, size);
    if (CLSORT_BRANCH_BARRIERS && longest > CLSORT__EDGE_SAMPLES_LONG_BIN && !even.one_code)
        merge_codes(l, size);
    else
        rank_codes(l, b, code, rank, size, even.one_code);
}

//---- samples: are moved [SAMPLES.group]
/* The code of element i. Of a pair, the lower 32 bits are i, shifted up until n would fill them: so
   the codes of equal keys are spread evenly, and bins cut them evenly. */
INLINE code_t source_code(samples_t s, uint i)
{
    const ulong key = CLSORT_PAIRS ? (ulong)((global const uint *)s.source.keys)[i] << 32
                                         | i << clz(s.n)
                                   : *key_place(s.source, i);
    return encode((code_t)key, s.codec);
}

/* Codes that a work-item decodes before it stores the first one. */
#define CLSORT_STORED 4

/* Writes `size` elements to the target from place `at` on: the sorted codes in local memory or,
   with `one_code`, `code` each time. Called by all work-items. */
INLINE void store_sorted(samples_t s, held_space_t l, uint at, uint size, uint one_code,
                         code_t code)
{
    for (uint i = local_id(); i < size; i += CLSORT_STORED * CLSORT_GROUP) {
        code_t key[CLSORT_STORED];
        #pragma unroll
        for (uint m = 0; m < CLSORT_STORED; m++)
            key[m] = decode(one_code ? code : held(l, min(i + m * CLSORT_GROUP, size - 1)),
                            s.codec);
#if CLSORT_PAIRS
        uint value[CLSORT_STORED];
        #pragma unroll
        for (uint m = 0; m < CLSORT_STORED; m++) {
            const uint number = (uint)key[m] >> clz(s.n);
            value[m] = s.numbers ? number : ((global const uint *)s.source.values)[number];
        }
        #pragma unroll
        for (uint m = 0; m < CLSORT_STORED; m++)
            if (i + m * CLSORT_GROUP < size) {
                ((global uint *)s.target.keys)[at + i + m * CLSORT_GROUP] = (uint)(key[m] >> 32);
                ((global uint *)s.target.values)[at + i + m * CLSORT_GROUP] = value[m];
            }
#else
        #pragma unroll
        for (uint m = 0; m < CLSORT_STORED; m++)
            if (i + m * CLSORT_GROUP < size)
                *key_place(s.target, at + i + m * CLSORT_GROUP) = key[m];
#endif   /* CLSORT_PAIRS */
    }
}

//---- samples: split [SAMPLES.group]
/* Cuts the source into s.samples equal parts, takes one key of each, and sorts these samples into
   local memory. Called by all work-items; ends with a barrier. */
INLINE void sort_samples(samples_t s, held_space_t l, bins_t b)
{
    const uint stride = s.n / s.samples;
    code_t code[CLSORT_ITEMS];
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (m * CLSORT_GROUP < s.samples) {
            const uint i = min(local_id() + m * CLSORT_GROUP, s.samples - 1),
                       noise = (s.seed + i + 1) * 0x9E3779B9u,
                       jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;
            code[m] = source_code(s, i * stride + mul_hi(jitter, stride));
        }
    sort_in_bins(l, b, code, s.samples);
}

/* The bucket of a code: the last bucket whose least code is not above it. If several buckets begin
   with this very code, all but the last of them have only this code; then `i` chooses one of these,
   where i is the code's number in the tile. each: samples per bucket. */
INLINE uint choose_bucket(samples_t s, held_space_t l, code_t code, uint i, uint each)
{
    uint bucket = 0;
    for (uint step = 1u << (31 - clz(s.buckets)); step > 0; step /= 2) {
        const uint next = bucket + step;
        bucket = next < s.buckets && held(l, next * each) <= code ? next : bucket;
    }
    if (bucket > 1 && held(l, (bucket - 1) * each) == code) {
        uint first = 1, last = bucket - 1;
        while (first < last) {
            const uint middle = (first + last) / 2;
            const uint before = held(l, middle * each) < code;
            first = before ? middle + 1 : first;
            last = before ? last : middle;
        }
        bucket = first + i % (bucket - first);
    }
    return bucket;
}

INLINE void load_tile_codes(samples_t s, code_t *code, uint begin, uint size)
{
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (m * CLSORT_GROUP < size)
            code[m] = source_code(s, begin + min(local_id() + m * CLSORT_GROUP, size - 1));
}

/* If this is the first tile: writes the least code of each bucket. */
INLINE void write_borders(samples_t s, held_space_t l, uint tile, uint each)
{
    for (uint i = local_id(); i < s.buckets && tile == 0; i += CLSORT_GROUP)
        s.borders[i] = held(l, i * each);
}

/* A work-group per tile. Moves the tile to alt, bucket by bucket, and writes where the buckets
   begin in the tile. space: as for clsort_samples_bucket. */
CLSORT_KERNEL void clsort_samples_split(CLSORT_SAMPLES_ARGS)
{
    const samples_t s = CLSORT_SAMPLES;
    const held_space_t l = held_space(space);
    const bins_t b = bins_of(l);
    const uint t = local_id(), own = (uint)get_group_id(0), begin = own * tile,
               size = min(s.n - begin, tile), each = samples / max(buckets, 1u);
    code_t code[CLSORT_ITEMS];
    uint rank[CLSORT_ITEMS];
    if (begin >= s.n)
        return;
    load_tile_codes(s, code, begin, size);
    sort_samples(s, l, b);
    clear_counts(b);
    write_borders(s, l, own, each);
    #pragma unroll CLSORT_UNROLL_CODES
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint i = t + m * CLSORT_GROUP;
        if (m * CLSORT_GROUP < size)
            rank[m] = count_in_bin(b, choose_bucket(s, l, code[m], i, each), i < size);
    }
    local_barrier();
    place_sample_bins(l, b);
    for (uint i = t; i < buckets; i += CLSORT_GROUP)
        s.places[i * s.tiles + own] = (ushort)*bin_slot(b, i);
    move_to_bins(l, b, code, rank, size);
    for (uint i = t; i < size; i += CLSORT_GROUP)
        *key_place(s.alt, begin + i) = held(l, i);
}

//---- samples: search [SAMPLES.group]
/* A fragment: codes first ... end - 1 of a tile in alt, which belong to one bucket. Work-item i
   loads the fragment of tile i; if there is no tile i, it is empty. */
typedef struct { uint first, end; } fragment_t;

INLINE fragment_t load_fragment(samples_t s, uint bucket)
{
    const uint t = min(local_id(), s.tiles - 1);
    global const ushort *places = s.places + bucket * s.tiles + t;
    fragment_t own = { places[0], min(s.tile, s.n - t * s.tile) };
    if (bucket + 1 < s.buckets)
        own.end = places[s.tiles];
    own.first = local_id() < s.tiles ? own.first : 0;
    own.end = local_id() < s.tiles ? own.end : 0;
    return own;
}

/* Code i of the bucket, found by a binary search for its fragment. b.count[k]: how many codes of
   the bucket come before fragment k; b.count[CLSORT_GROUP + k]: what to add to the number of a code
   of fragment k to get its place in alt. */
INLINE code_t fragment_code(samples_t s, bins_t b, uint i)
{
    uint k = 0;
    for (uint step = 1u << (31 - clz(s.tiles)); step > 0; step /= 2)
        k += k + step < s.tiles && b.count[k + step] <= i ? step : 0;
    return *key_place(s.alt, i + b.count[CLSORT_GROUP + k]);
}

/* The codes first ... last. */
typedef struct { code_t first, last; } codes_span_t;

/* Copies those codes of the bucket that are in a span to local memory, as many as fit. Returns how
   many there are in the span, also if they do not fit. Called by all work-items with the fragments
   in b.count; ends with a barrier. */
INLINE uint keep_span(samples_t s, held_space_t l, bins_t b, uint size, codes_span_t span)
{
    if (local_id() == 0)
        b.words[BINS_KEPT] = 0;
    local_barrier();
    for (uint i = local_id(); i < size; i += CLSORT_GROUP) {
        const code_t code = fragment_code(s, b, i);
        if (code >= span.first && code <= span.last) {
            const uint place = atomic_inc(&b.words[BINS_KEPT]);
            if (place < CLSORT_TILE_ITEMS)
                *held_slot(l, place) = code;
        }
    }
    local_barrier();
    return read_once(&b.words[BINS_KEPT]);
}

//---- samples: bucket [SAMPLES.group]
/* Loads codes of a bucket into registers: all codes if they fit; else the codes of a span, as many
   as fit. Returns how many codes the bucket or the span has. before: how many codes of the bucket
   come before the work-item's fragment. Called by all work-items with the local memory free; ends
   with a barrier. */
INLINE uint take_codes(samples_t s, held_space_t l, bins_t b, code_t *code, fragment_t own,
                       uint before, uint size, codes_span_t span)
{
    const uint t = local_id();
    uint kept = size;
    b.count[t] = before;
    b.count[CLSORT_GROUP + t] = t * s.tile + own.first - before;
    local_barrier();
    if (CLSORT_BRANCH_BARRIERS && size <= CLSORT_TILE_ITEMS) {
        #pragma unroll CLSORT_UNROLL_CODES
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            if (m * CLSORT_GROUP < size)
                code[m] = fragment_code(s, b, min(t + m * CLSORT_GROUP, size - 1));
    } else {
        kept = keep_span(s, l, b, size, span);
        #pragma unroll CLSORT_UNROLL_CODES
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            code[m] = t + m * CLSORT_GROUP < kept ? held(l, t + m * CLSORT_GROUP) : span.first;
    }
    local_barrier();
    return kept;
}

/* The span to take next. If the last span is done: the codes behind it, about twice as many. If it
   had too many codes: its first half. */
INLINE codes_span_t next_span(codes_span_t span, uint is_done)
{
    const code_t width = span.last - span.first, next = span.last + 1,
                 far = (code_t)(CLSORT_TOP_CODE - next) / 2 > width ? (code_t)(next + 2 * width + 1)
                                                                    : CLSORT_TOP_CODE;
    const codes_span_t after = { next, far }, first = { span.first, span.first + width / 2 };
    return is_done ? after : first;
}

/* Sorts a bucket of `size` codes into the target from place `begin` on. A bucket with too many
   codes for a work-group is sorted span by span. A span has few enough keys, or only one
   code. */
INLINE void sort_spans(samples_t s, held_space_t l, bins_t b, fragment_t own, uint before,
                       uint begin, uint size, codes_span_t span)
{
    for (uint done = 0; done < size;) {
        code_t code[CLSORT_ITEMS];
        const uint kept = take_codes(s, l, b, code, own, before, size, span),
                   fits = kept <= CLSORT_TILE_ITEMS, is_done = fits || span.first == span.last;
        sort_in_bins(l, b, code, fits ? kept : 0);
        store_sorted(s, l, begin + done, is_done ? kept : 0, !fits, span.first);
        local_barrier();
        done += is_done ? kept : 0;
        span = next_span(span, is_done);
    }
}

/* A work-group per bucket, with at least one work-item per tile. space: CLSORT_HELD_SLOTS codes,
   rounded up to 8 bytes; 2 * CLSORT_GROUP + 1 words; a word for each bin and one more, with
   padding; CLSORT__SAMPLES_WORDS. */
CLSORT_KERNEL void clsort_samples_bucket(CLSORT_SAMPLES_ARGS)
{
    const samples_t s = CLSORT_SAMPLES;
    const held_space_t l = held_space(space);
    const uint bucket = (uint)get_group_id(0), is_last = bucket + 1 == buckets;
    uint begin = 0, size = 0;
    if (s.n == 0)
        return;
    const fragment_t own = load_fragment(s, bucket);
    const code_t low = s.borders[bucket], high = s.borders[is_last ? bucket : bucket + 1];
    const uint before = group_scan_total(own.end - own.first, l.sums, &size);
    group_scan_total(own.first, l.sums, &begin);
    if (bucket > 0 && !is_last && low == high) {
        store_sorted(s, l, begin, size, 1, low);
        return;
    }
    const codes_span_t all = { bucket > 0 ? low : 0, is_last ? CLSORT_TOP_CODE : high };
    sort_spans(s, l, bins_of(l), own, before, begin, size, all);
}

//---- ranks [RANKS]
/* RANKS, for few elements, in one launch. Each work-group has a BLOCK of consecutive elements and
   finds their places in the sorted order. It sorts the block's codes. Then it searches for each
   element outside the block among these codes: that counts, for each element of the block, the
   outside elements before it. No work-group waits for another one, the time does not depend on the
   keys, and equal keys keep their order. Source and target must not overlap.

   A block has at most 2^size_log2 - 1 elements. Its sorted codes are the nodes of a search tree:
   the children of node i are nodes 2 * i and 2 * i + 1. The nodes of a level lie side by side, so
   few searching work-items need the same bank of local memory at a time. In a binary search of 128
   sorted codes four would. */
#define CLSORT_RANKS_PART (CLSORT_ITEMS * CLSORT_GROUP)
typedef struct {
    array_t source;
    codec_t codec;
    uint begin, elements, others;   /* elements: of the block; others: outside */
    uint size_log2, size;
    local code_t *block, *tree;
    local uint *places;         /* rank of each element inside the block */
    local uint *counts;         /* other elements between places i - 1 and i */
    local uint *before;         /* all other elements before place i */
} ranks_t;

INLINE ranks_t make_ranks(array_t source, codec_t codec, uint n, uint size_log2,
                          local ulong *space)
{
    const uint size = 1u << size_log2, begin = (uint)get_group_id(0) * (size - 1),
               elements = min(n - begin, size - 1);
    local code_t *const block = (local code_t *)space;
    local uint *const words = (local uint *)(block + 2 * size);
    const ranks_t r = { source, codec, begin, elements, n - elements, size_log2, size,
                        block, block + size, words, words + size, words + 2 * size };
    return r;
}

/* Loads the work-item's part of CLSORT_RANKS_PART keys outside the block, from number `at` on. The
   elements outside the block are numbered as if the block were not there. */
INLINE void load_others(ranks_t r, code_t *v, uint at)
{
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint i = at + m * CLSORT_GROUP + local_id(), place = i < r.begin ? i : i + r.elements;
        v[m] = *key_place(r.source, min(place, r.elements + r.others - 1));
    }
}

/* Several work-items share the sum for one element, `own`, of the block. A work-item adds the
   `each` terms from number `first` on; terms that do not exist count 0. All work-items have equally
   many terms, since PoCL 3.1 miscompiles loops whose lengths differ. */
typedef struct { uint own, first, each; } rank_share_t;

INLINE rank_share_t share_of_ranks(ranks_t r)
{
    const uint each = max(r.size * r.size >> CLSORT_GROUP_LOG2, 1u);
    const rank_share_t s = { local_id() & (r.size - 1), (local_id() >> r.size_log2) * each, each };
    return s;
}

/* Finds the rank of each code in the block, and builds the search tree. Called by all work-items
   after a barrier; ends with one. */
INLINE void sort_block(ranks_t r)
{
    const rank_share_t s = share_of_ranks(r);
    const code_t code = r.block[s.own];
    uint place = 0;
    for (uint k = 0; k < s.each; k++) {
        const uint i = s.first + k;
        const code_t other = r.block[min(i, r.size - 1)];
        place += i < r.size && (other < code || (other == code && i < s.own));
    }
    if (place)
        atomic_add(&r.places[s.own], place);
    local_barrier();
    const uint number = r.places[s.own] + 1, height = 32 - clz(number & (0 - number));
    if (s.first == 0 && number < r.size)
        r.tree[(r.size >> height) + (number >> height)] = code;
    local_barrier();
}

//---- ranks: of others [RANKS]
/* Searches the tree for elements outside the block, whose keys are in v, and counts them. An
   element behind the block belongs behind the block's equal codes, so the search is for its code
   plus 1. */
INLINE void find_others(ranks_t r, const code_t *v, uint at)
{
    code_t code[CLSORT_ITEMS];
    uint node[CLSORT_ITEMS], exists[CLSORT_ITEMS];
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint i = at + m * CLSORT_GROUP + local_id(), behind = i >= r.begin;
        code[m] = (code_t)(encode(v[m], r.codec) + behind);
        exists[m] = i < r.others && !(behind && code[m] == 0);
        node[m] = 1;
    }
    for (uint level = 0; level < r.size_log2; level++) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            node[m] = 2 * node[m] + (r.tree[node[m]] < code[m]);
    }
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (exists[m] && node[m] - r.size < r.elements)
            atomic_inc(&r.counts[node[m] - r.size]);
}

/* Counts the elements outside the block before each place. v: the first keys of load_others. Called
   by all work-items after a barrier; ends with one. */
INLINE void count_others(ranks_t r, code_t *v)
{
    for (uint at = 0; at < r.others; at += CLSORT_RANKS_PART) {
        code_t next[CLSORT_ITEMS];
        load_others(r, next, at + CLSORT_RANKS_PART);
        find_others(r, v, at);
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            v[m] = next[m];
    }
    local_barrier();
    const rank_share_t s = share_of_ranks(r);
    uint before = 0;
    for (uint k = 0; k < s.each; k++)
        before += s.first + k <= s.own ? r.counts[s.first + k] : 0;
    if (before)
        atomic_add(&r.before[s.own], before);
    local_barrier();
}

/* A work-group of at least 2^size_log2 work-items per block, which has up to 2^size_log2 - 1
   elements. space: 2^size_log2 times two codes and three words. */
CLSORT_KERNEL void clsort_ranks(CLSORT_SORT_ARGS, uint n, uint size_log2, local ulong *space)
{
    const codec_t codec = CLSORT_CODEC;
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const ranks_t r = make_ranks(source, codec, CLSORT_COUNT(n), size_log2, space);
    const uint t = local_id();
    code_t v[CLSORT_ITEMS];
    if (r.begin >= CLSORT_COUNT(n))
        return;
    const uint own = r.begin + min(t, r.elements - 1);
    const item_t item = load_numbered(source, codec, own, own);
    load_others(r, v, 0);
    if (t < r.size) {
        r.block[t] = t < r.elements ? item.key : CLSORT_TOP_CODE;
        r.places[t] = r.counts[t] = r.before[t] = 0;
    }
    local_barrier();
    sort_block(r);
    count_others(r, v);
    if (t < r.elements)
        store_whole_item(target, codec, r.places[t] + r.before[r.places[t]], item);
}

//---- vectors [CACHED SEGMENTS.alone SEGMENTS.lanes]
/* VECTORS: one work-item sorts bare keys. Up to 8 vectors are sorted in registers: first each
   column, which is one lane of all vectors; then columns are joined. This takes 0.8 ns per key of 4
   bytes. Short rows, of up to two vectors, are sorted side by side: as many rows as a vector has
   lanes, each as a column.

   More keys are partitioned around pivots, if the compiler has AVX-512: a compress moves the lanes
   that precede the pivot in front of the others. That takes 0.3 to 0.5 ns per key in cache.
   Otherwise runs of 8 vectors are merged in pairs, in 1.1 ns per key, or 2 ns per key of 8 bytes.
   Sorting by digits took 5 to 9 times as long for rows of 32 to 4096 keys.

   Partitions and merges move codes between alt and target; sorted codes are decoded and end in
   target. A pivot is the median of a sample. If a range comes from too many partitions, its pivot
   is the middle between its least and its greatest code: then at most as many partitions follow as
   a code has bits.

   PAIRS, keys and values of 4 bytes each, are packed into lanes of 8 bytes in alt: the code above,
   the number of the element below. So the sort is stable. At the end these numbers fetch the
   values. Partitions of pairs move lanes between alt and a second array: the part of the scratch
   that the tables of radix do not need, at most 1 MB for all cores. A range with more lanes than
   that is partitioned in place.

   Idea: S. Gueron and V. Krasnov, Fast Quicksort Implementation Using AVX Instructions, 2016; B.
   Bramas, A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512, 2017; of merges: J. Chhugani
   et al., Efficient Implementation of Sorting on Multi-Core SIMD CPU Architecture, 2008. */
INLINE uint sorts_by_vectors(radix_t r)
{
    return CLSORT_VECTOR_LANES > 0
           && (CLSORT_IS(CACHED) || (r.first_bit == 0 && r.last_bit == 8 * CLSORT_KEY_BYTES));
}

//---- vectors: registers [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_VECTOR_LANES > 0
/* The most lanes that are sorted in registers. */
#define CLSORT_LEAF_VECTORS 8
#define CLSORT_LEAF (CLSORT_LEAF_VECTORS * CLSORT_VECTOR_LANES)
/* The vectors that sort_wide_rows sorts at once: as many rows as a vector has lanes, two vectors
   each. */
#define CLSORT_ROW_VECTORS (2 * CLSORT_VECTOR_LANES)

#if CLSORT_COMPRESSES
/* The lanes of v that the mask selects, in front; behind them, lanes of `rest`. */
INLINE vector_t compress_vector(vector_t v, vector_t rest, uint mask)
{
    return __builtin_astype(CLSORT_VECTOR_(compress)(__builtin_astype(v, flags_t),
                                                     __builtin_astype(rest, flags_t), mask),
                            vector_t);
}

/* The first lanes of v, spread to the lanes that the mask selects; other lanes are from `rest`. */
INLINE vector_t expand_vector(vector_t v, vector_t rest, uint mask)
{
    return __builtin_astype(CLSORT_VECTOR_(expand)(__builtin_astype(v, flags_t),
                                                   __builtin_astype(rest, flags_t), mask),
                            vector_t);
}

INLINE uint lanes_below(vector_t v, vector_t pivot)
{
    return CLSORT_VECTOR_LESS(__builtin_astype(v, flags_t), __builtin_astype(pivot, flags_t), 1,
                              (1u << CLSORT_VECTOR_LANES) - 1);
}

/* Loads the first `lanes` lanes; the other lanes are `rest`. */
INLINE vector_t load_vector(global const lane_t *from, uint lanes, lane_t rest)
{
    return __builtin_astype(CLSORT_VECTOR_(loaddqu)((global const void *)from,
                                                    __builtin_astype((vector_t)rest, flags_t),
                                                    (1u << lanes) - 1),
                            vector_t);
}

INLINE void store_vector(vector_t v, global lane_t *to, uint lanes)
{
    CLSORT_VECTOR_(storedqu)((global void *)to, __builtin_astype(v, flags_t), (1u << lanes) - 1);
}

#else
/* A vector at any lane's address. (PoCL splits vectors at vload and vstore.) */
typedef vector_t loose_vector_t __attribute__((aligned(CLSORT_LANE_BYTES)));

INLINE vector_t load_vector(global const lane_t *from, uint lanes, lane_t rest)
{
    lane_t lane[CLSORT_VECTOR_LANES];
    if (lanes == CLSORT_VECTOR_LANES)
        return *(global const loose_vector_t *)from;
    for (uint i = 0; i < CLSORT_VECTOR_LANES; i++)
        lane[i] = i < lanes ? from[i] : rest;
    return *(const loose_vector_t *)lane;
}

INLINE void store_vector(vector_t v, global lane_t *to, uint lanes)
{
    lane_t lane[CLSORT_VECTOR_LANES];
    if (lanes == CLSORT_VECTOR_LANES) {
        *(global loose_vector_t *)to = v;
        return;
    }
    *(loose_vector_t *)lane = v;
    for (uint i = 0; i < lanes; i++)
        to[i] = lane[i];
}
#endif   /* CLSORT_COMPRESSES */

INLINE vector_t load_whole_vector(global const lane_t *from)
{
    return load_vector(from, CLSORT_VECTOR_LANES, 0);
}

INLINE void store_whole_vector(vector_t v, global lane_t *to)
{
    store_vector(v, to, CLSORT_VECTOR_LANES);
}

CLSORT_CODEC_OF(vector_t, encode_vector, decode_vector)

/* Sorted lanes as they are written: bare codes are decoded, packed pairs stay. */
INLINE vector_t finish_vector(vector_t v, codec_t c)
{
    return CLSORT_PACKS_PAIRS ? v : decode_vector(v, c);
}

INLINE lane_t finish_lane(lane_t v, codec_t c)
{
    return CLSORT_PACKS_PAIRS ? v : decode((code_t)v, c);
}
#endif   /* CLSORT_VECTOR_LANES > 0 */

//---- vectors: lanes [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_VECTOR_LANES > 0
/* Swaps each lane i with lane i ^ bits. `bits` is a constant. */
INLINE vector_t swap_lanes(vector_t v, uint bits)
{
#if CLSORT_VECTOR_LANES == 16
    return bits == 1 ? v.s1032547698badcfe : bits == 2 ? v.s23016745ab89efcd
         : bits == 3 ? v.s32107654ba98fedc : bits == 4 ? v.s45670123cdef89ab
         : bits == 7 ? v.s76543210fedcba98 : bits == 8 ? v.s89abcdef01234567
                                                       : v.sfedcba9876543210;
#else
    return bits == 1 ? v.s10325476 : bits == 2 ? v.s23016745
         : bits == 3 ? v.s32107654 : bits == 4 ? v.s45670123 : v.s76543210;
#endif
}

/* `low` in lanes whose number has the highest of these bits clear; `high` in other lanes. */
INLINE vector_t mix_lanes(vector_t low, vector_t high, uint bits)
{
#if CLSORT_VECTOR_LANES == 16
    const vector_t lane = (vector_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    const vector_t lane = (vector_t)(0, 1, 2, 3, 4, 5, 6, 7);
#endif
    return select(low, high, (lane & (vector_t)(lane_t)(bits & ~(bits >> 1))) != 0);
}

INLINE void order_vectors(vector_t *a, vector_t *b)
{
    const vector_t low = min(*a, *b);
    *b = max(*a, *b);
    *a = low;
}

/* The p-th number in which `bit` is clear. Two numbers that differ only in `bit` are a pair; this
   is the lower one. */
INLINE uint lower_of_pair(uint p, uint bit) { return 2 * p - (p & (bit - 1)); }

/* The steps of a bitonic merge inside each column: `bit` and the bits below. */
INLINE void merge_columns(vector_t *r, uint vectors, uint bit)
{
    #pragma unroll
    for (uint b = bit; b > 0; b /= 2)
        #pragma unroll
        for (uint p = 0; p < vectors / 2; p++)
            order_vectors(&r[lower_of_pair(p, b)], &r[lower_of_pair(p, b) + b]);
}

/* The mirror step that joins columns whose numbers differ in these bits. */
INLINE void mirror_columns(vector_t *r, uint vectors, uint bits)
{
    #pragma unroll
    for (uint i = 0; i < vectors / 2; i++) {
        const vector_t x = r[i], y = swap_lanes(r[vectors - 1 - i], bits), low = min(x, y),
                       high = max(x, y);
        r[i] = mix_lanes(low, high, bits);
        r[vectors - 1 - i] = swap_lanes(mix_lanes(high, low, bits), bits);
    }
}

INLINE void order_columns(vector_t *r, uint vectors, uint bit)
{
    #pragma unroll
    for (uint i = 0; i < vectors; i++) {
        const vector_t y = swap_lanes(r[i], bit);
        r[i] = mix_lanes(min(r[i], y), max(r[i], y), bit);
    }
}

/* Merges pairs of neighbouring groups of `width` columns, each of which is in order. */
INLINE void join_columns(vector_t *r, uint vectors, uint width)
{
    mirror_columns(r, vectors, 2 * width - 1);
    #pragma unroll
    for (uint bit = width / 2; bit > 0; bit /= 2)
        order_columns(r, vectors, bit);
    merge_columns(r, vectors, vectors / 2);
}

/* Sorts each column. */
INLINE void sort_columns(vector_t *r, uint vectors)
{
    #pragma unroll
    for (uint run = 1; run < vectors; run *= 2) {
        #pragma unroll
        for (uint p = 0; p < vectors / 2; p++)
            order_vectors(&r[lower_of_pair(p, run)], &r[lower_of_pair(p, run) ^ (2 * run - 1)]);
        merge_columns(r, vectors, run / 2);
    }
}
#endif   /* CLSORT_VECTOR_LANES > 0 */

//---- vectors: leaves [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_VECTOR_LANES > 0
/* A perfect shuffle of all keys. Write a key's place as one number: the number of its vector above,
   its lane below. The shuffle rotates the bits of this number up by one: the highest becomes
   bit 0. */
INLINE void shuffle_vectors(vector_t *r, uint vectors)
{
    vector_t t[CLSORT_ROW_VECTORS];
    #pragma unroll
    for (uint i = 0; i < vectors / 2; i++) {
        t[2 * i].even = r[i].lo;
        t[2 * i].odd = r[i + vectors / 2].lo;
        t[2 * i + 1].even = r[i].hi;
        t[2 * i + 1].odd = r[i + vectors / 2].hi;
    }
    #pragma unroll
    for (uint i = 0; i < vectors; i++)
        r[i] = t[i];
}

/* Transposes: the keys of column 0 fill the first vectors, the keys of column 1 the next ones, and
   so on. */
INLINE void lay_columns(vector_t *r, uint vectors)
{
    #pragma unroll
    for (uint bit = 1; bit < vectors; bit *= 2)
        shuffle_vectors(r, vectors);
}

/* If n codes fill vectors one after the other: how many of them lie in vector number `vector`. */
INLINE uint lanes_left(uint n, uint vector)
{
    return min(max(n, vector * CLSORT_VECTOR_LANES) - vector * CLSORT_VECTOR_LANES,
               (uint)CLSORT_VECTOR_LANES);
}

/* Sorts n lanes in `vectors` vectors. are_keys = 1: the input is keys, which it encodes.
   is_done = 1: the output is decoded by finish_vector. */
INLINE void sort_vectors(global const lane_t *from, global lane_t *to, uint n, codec_t c,
                         uint vectors, uint are_keys, uint is_done)
{
    const lane_t top = (lane_t)~(lane_t)0, rest = are_keys ? finish_lane(top, c) : top;
    vector_t r[CLSORT_LEAF_VECTORS];
    #pragma unroll
    for (uint i = 0; i < vectors; i++) {
        r[i] = load_vector(from + i * CLSORT_VECTOR_LANES, lanes_left(n, i), rest);
        if (!CLSORT_PACKS_PAIRS && are_keys)
            r[i] = encode_vector(r[i], c);
    }
    sort_columns(r, vectors);
    #pragma unroll
    for (uint width = 1; width < CLSORT_VECTOR_LANES; width *= 2)
        join_columns(r, vectors, width);
    lay_columns(r, vectors);
    #pragma unroll
    for (uint i = 0; i < vectors; i++)
        store_vector(is_done ? finish_vector(r[i], c) : r[i], to + i * CLSORT_VECTOR_LANES,
                     lanes_left(n, i));
}

CLSORT_NOINLINE void sort_leaf(global const lane_t *from, global lane_t *to, uint n, codec_t c,
                               uint are_keys, uint is_done)
{
    if (n <= CLSORT_LEAF / 4)
        sort_vectors(from, to, n, c, CLSORT_LEAF_VECTORS / 4, are_keys, is_done);
    else if (n <= CLSORT_LEAF / 2)
        sort_vectors(from, to, n, c, CLSORT_LEAF_VECTORS / 2, are_keys, is_done);
    else
        sort_vectors(from, to, n, c, CLSORT_LEAF_VECTORS, are_keys, is_done);
}

#endif   /* CLSORT_VECTOR_LANES > 0 */

//---- vectors: partitions [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_COMPRESSES
/* The places low ... high - 1, which a partition has not written yet. */
typedef struct { uint low, high; } unwritten_t;

/* Moves a vector to both ends of the unwritten range: the lanes below the pivot to its front, the
   others to its end. It stores whole vectors, but counts only the lanes that belong there as
   written. So the range must have room for a vector at each end, or be one vector long. */
INLINE unwritten_t move_vector(global lane_t *to, unwritten_t g, vector_t v, lane_t pivot)
{
    const uint below = lanes_below(v, (vector_t)pivot), count = popcount(below);
    const vector_t moved = expand_vector(compress_vector(v, v, ~below),
                                         compress_vector(v, v, below), ~0u << count);
    store_whole_vector(moved, to + g.low);
    store_whole_vector(moved, to + g.high - CLSORT_VECTOR_LANES);
    g.low += count;
    g.high -= CLSORT_VECTOR_LANES - count;
    return g;
}

/* As move_vector, but moves only the first `lanes` lanes, and overwrites nothing else. */
INLINE unwritten_t move_lanes(global lane_t *to, unwritten_t g, vector_t v, lane_t pivot,
                              uint lanes)
{
    const uint all = (1u << lanes) - 1, below = lanes_below(v, (vector_t)pivot) & all,
               count = popcount(below);
    store_vector(compress_vector(v, v, below), to + g.low, count);
    g.low += count;
    g.high -= lanes - count;
    store_vector(compress_vector(v, v, all & ~below), to + g.high, lanes - count);
    return g;
}

/* The number of vectors that a partition in place holds from each end, and that it reads at a
   time. */
#define CLSORT_END_VECTORS 4
#define CLSORT_END_LANES (CLSORT_END_VECTORS * CLSORT_VECTOR_LANES)

/* Partitions a range of CLSORT_LEAF or more lanes in place, which takes 1.2 times as long. It first
   loads both ends of the range into registers. So 2 * CLSORT_END_LANES lanes around the unread ones
   are free to write. Each step reads CLSORT_END_VECTORS vectors from the side that has fewer free
   lanes. So both sides have room for what the step writes. */
CLSORT_NOINLINE uint partition_in_place(global lane_t *a, uint n, lane_t pivot)
{
    vector_t ends[2 * CLSORT_END_VECTORS], v[CLSORT_END_VECTORS];
    unwritten_t g = { 0, n };
    uint i = CLSORT_END_LANES, j = n - CLSORT_END_LANES;
    for (uint k = 0; k < CLSORT_END_VECTORS; k++) {
        ends[k] = load_whole_vector(a + k * CLSORT_VECTOR_LANES);
        ends[CLSORT_END_VECTORS + k] = load_whole_vector(a + j + k * CLSORT_VECTOR_LANES);
    }
    while (j - i >= CLSORT_END_LANES) {
        const uint in_front = i - g.low <= g.high - j;
        global const lane_t *const from = a + (in_front ? i : j - CLSORT_END_LANES);
        i += in_front ? CLSORT_END_LANES : 0;
        j -= in_front ? 0 : CLSORT_END_LANES;
        #pragma unroll
        for (uint k = 0; k < CLSORT_END_VECTORS; k++)
            v[k] = load_whole_vector(from + k * CLSORT_VECTOR_LANES);
        #pragma unroll
        for (uint k = 0; k < CLSORT_END_VECTORS; k++)
            g = move_vector(a, g, v[k], pivot);
    }
    for (uint k = 0; k < CLSORT_END_VECTORS; k++)
        v[k] = load_vector(a + i + k * CLSORT_VECTOR_LANES, lanes_left(j - i, k), 0);
    for (uint k = 0; k < CLSORT_END_VECTORS; k++)
        g = move_lanes(a, g, v[k], pivot, lanes_left(j - i, k));
    for (uint k = 0; k < 2 * CLSORT_END_VECTORS; k++)
        g = move_vector(a, g, ends[k], pivot);
    return g.low;
}

/* Moves lanes below the pivot to the front of `to`, the others to its end, and returns the number
   of lanes below. The unwritten range always has as many places as lanes are still to be read. */
INLINE uint partition_lanes(global const lane_t *from, global lane_t *to, uint n,
                            lane_t pivot)
{
    unwritten_t g = { 0, n };
    uint i = 0;
    if (CLSORT_PACKS_PAIRS && from == to)
        return partition_in_place(to, n, pivot);
    for (; i + 2 * CLSORT_VECTOR_LANES <= n; i += CLSORT_VECTOR_LANES)
        g = move_vector(to, g, load_whole_vector(from + i), pivot);
    for (; i < n; i += CLSORT_VECTOR_LANES) {
        const uint left = min(n - i, (uint)CLSORT_VECTOR_LANES);
        g = move_lanes(to, g, load_vector(from + i, left, 0), pivot, left);
    }
    return g.low;
}
#endif   /* CLSORT_COMPRESSES */

//---- vectors: quicksort [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_COMPRESSES
/* The median of a vector of lanes from evenly spaced places among n. */
INLINE lane_t median_lane(global const lane_t *from, uint n)
{
    lane_t sample[CLSORT_VECTOR_LANES];
    const uint step = n / CLSORT_VECTOR_LANES;
    for (uint i = 0; i < CLSORT_VECTOR_LANES; i++)
        sample[i] = from[i * step + step / 2];
    vector_t v = CLSORT_JOIN(vload, CLSORT_VECTOR_LANES)(0, sample);
    #pragma unroll
    for (uint width = 1; width < CLSORT_VECTOR_LANES; width *= 2) {
        order_columns(&v, 1, 2 * width - 1);
        #pragma unroll
        for (uint bit = width / 2; bit > 0; bit /= 2)
            order_columns(&v, 1, bit);
    }
    CLSORT_JOIN(vstore, CLSORT_VECTOR_LANES)(v, 0, sample);
    return sample[CLSORT_VECTOR_LANES / 2];
}

/* The middle between the least and the greatest of n lanes; above the least if they differ. */
INLINE lane_t middle_lane(global const lane_t *from, uint n)
{
    lane_t least = from[0], most = from[0];
    for (uint i = 1; i < n; i++) {
        least = min(least, from[i]);
        most = max(most, from[i]);
    }
    return least + (most - least) / 2 + (least < most);
}

/* A range to be sorted. moves: how often it moved between the arrays; a partition in place counts
   as two moves. If `moves` is odd, the range lies in the second array, whose first lane belongs
   at place `base` of the first array. The shorter part of a range is sorted first, so the stack has
   at most log2(n) ranges. */
typedef struct { uint begin, size, moves, base; } vector_range_t;
#define CLSORT_VECTOR_STACK 32

/* A quicksort between two arrays of lanes; `done` receives sorted ranges. The second array has room
   for `room` lanes: longer ranges are partitioned in place. */
typedef struct {
    global lane_t *first, *second, *done;
    uint room, most_moves;
    codec_t codec;
} vector_quick_t;

/* Partitions a range that is longer than a leaf. Returns the part to sort next, which may be empty,
   and pushes the other part. If no lane is below the pivot, the pivot is the least lane: then it
   partitions again, so that the lanes equal to the pivot come first, writes these as sorted, and
   returns the rest. */
INLINE vector_range_t split_range(vector_quick_t q, vector_range_t v, vector_range_t *stack,
                                  uint *top)
{
    global lane_t *const second = q.second + (v.begin - v.base),
                  *const from = v.moves & 1 ? second : q.first + v.begin,
                  *const to = v.moves & 1 || v.size > q.room ? q.first + v.begin : second;
    const lane_t pivot = v.moves < q.most_moves ? median_lane(from, v.size)
                                                : middle_lane(from, v.size);
    const uint moves = v.moves + 1 + (from == to);
    uint low = partition_lanes(from, to, v.size, pivot);
    const vector_range_t below = { v.begin, low, moves, v.base },
                         above = { v.begin + low, v.size - low, moves,
                                   from == to ? v.begin + low : v.base };
    if (low > 0) {
        stack[(*top)++] = low > above.size ? below : above;
        return low > above.size ? above : below;
    }
    low = pivot + 1 == 0 ? v.size : max(partition_lanes(from, to, v.size, pivot + 1), 1u);
    for (uint i = 0; i < low; i++)
        q.done[v.begin + i] = finish_lane(pivot, q.codec);
    const vector_range_t rest = { v.begin + low, v.size - low, moves,
                                  from == to ? v.begin + low : v.base };
    return rest;
}

/* Sorts n lanes of q.first into q.done. */
INLINE void sort_lanes(vector_quick_t q, uint n)
{
    vector_range_t stack[CLSORT_VECTOR_STACK], v = { 0, n, 0, 0 };
    uint top = 0;
    for (;;) {
        if (v.size > CLSORT_LEAF) {
            v = split_range(q, v, stack, &top);
            continue;
        }
        if (v.size > 0)
            sort_leaf(v.moves & 1 ? q.second + (v.begin - v.base) : q.first + v.begin,
                      q.done + v.begin, v.size, q.codec, 0, 1);
        if (top == 0)
            break;
        v = stack[--top];
    }
}

#endif   /* CLSORT_COMPRESSES */

//---- vectors: sort [CACHED.lanes]
#if CLSORT_PACKS_PAIRS
/* Writes the lower words of lanes, or the upper ones. Words of 16 lanes are stored together,
   because half a vector takes as long. */
INLINE void take_words(global const lane_t *lanes, uint upper, global uint *to, uint n)
{
    uint i = 0;
    for (; i + 16 <= n; i += 16) {
        const uint16 a = vload16(0, (global const uint *)(lanes + i)),
                     b = vload16(1, (global const uint *)(lanes + i));
        vstore16(upper ? (uint16)(a.odd, b.odd) : (uint16)(a.even, b.even), 0, to + i);
    }
    for (; i < n; i++)
        to[i] = (uint)(lanes[i] >> 32 * upper);
}

/* Sorts packed pairs of r.alt into r.target. The second array is r.scratch, with room for
   spare_lanes. Pairs that are in order already, as when all codes are equal, are only unpacked.
   While lanes have element numbers in place of values, the values wait in the target. Without
   r.source.values the values are such numbers already. */
INLINE void vector_sort(radix_t r)
{
    global lane_t *const lanes = lanes_of(r.alt);
    global uint *const keys = key_place(r.target, 0);
    global uint *const values = (global uint *)r.target.values;
    const vector_quick_t q = { lanes, (global lane_t *)r.scratch, lanes, spare_lanes(r),
                               2 * ceil_log2(r.n), r.codec };
    uint ordered = 1;
    while (ordered < r.n && lanes[ordered - 1] >> 32 <= lanes[ordered] >> 32)
        ordered++;
    if (ordered < r.n) {
        if (r.source.values) {
            take_words(lanes, 0, values, r.n);
            for (uint i = 0; i < r.n; i++)
                lanes[i] = (lanes[i] & ~(lane_t)0xFFFFFFFF) | i;
        }
        sort_lanes(q, r.n);
        for (uint i = 0; i < r.n && r.source.values; i++)
            lanes[i] = (lanes[i] & ~(lane_t)0xFFFFFFFF) | values[(uint)lanes[i]];
    }
    take_words(lanes, 0, values, r.n);
    take_words(lanes, 1, keys, r.n);
    for (uint i = 0; i < r.n && !keys_are_codes(r.codec); i++)
        keys[i] = decode(keys[i], r.codec);
}
#endif   /* CLSORT_PACKS_PAIRS */

//---- vectors: keys are sorted [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_COMPRESSES && !CLSORT_PACKS_PAIRS
/* Sorts r.source into r.target, with r.alt between. The source may be the target or alt. */
INLINE void vector_sort(radix_t r)
{
    global lane_t *const target = lanes_of(r.target), *const alt = lanes_of(r.alt);
    const vector_quick_t q = { alt, target, target, r.n, 2 * ceil_log2(r.n), r.codec };
    if (r.n <= CLSORT_LEAF) {
        sort_leaf(lanes_of(r.source), target, r.n, r.codec, 1, 1);
        return;
    }
    for (uint i = 0; i < r.n; i++)
        alt[i] = encode(*key_place(r.source, i), r.codec);
    sort_lanes(q, r.n);
}
#endif   /* CLSORT_COMPRESSES && !CLSORT_PACKS_PAIRS */

//---- vectors: merges [CACHED.lanes SEGMENTS.lanes]
#if CLSORT_VECTOR_LANES > 0 && !CLSORT_COMPRESSES && !CLSORT_PACKS_PAIRS
/* Merges two runs of lanes; the second one begins at `middle`. A step takes a vector from the run
   whose next lane is lower, and merges it with the vector `high`. The lower half of these lanes is
   written; the higher half is the new `high`. */
INLINE void merge_vectors(global const lane_t *from, global lane_t *to, uint n, uint middle,
                          codec_t c, uint is_done)
{
    const lane_t top = (lane_t)~(lane_t)0;
    uint i = CLSORT_VECTOR_LANES, j = middle, merged = 0;
    vector_t high = load_vector(from, min(n, (uint)CLSORT_VECTOR_LANES), top);
    while (i < middle || j < n) {
        const uint is_first = j >= n || (i < middle && from[i] <= from[j]),
                   next = is_first ? i : j;
        const vector_t v = swap_lanes(load_vector(from + next,
                                                  min(n - next, (uint)CLSORT_VECTOR_LANES), top),
                                      CLSORT_VECTOR_LANES - 1);
        vector_t low = min(high, v);
        high = max(high, v);
        #pragma unroll
        for (uint bit = CLSORT_VECTOR_LANES / 2; bit > 0; bit /= 2) {
            order_columns(&low, 1, bit);
            order_columns(&high, 1, bit);
        }
        store_whole_vector(is_done ? finish_vector(low, c) : low, to + merged);
        merged += CLSORT_VECTOR_LANES;
        i += is_first ? CLSORT_VECTOR_LANES : 0;
        j += is_first ? 0 : CLSORT_VECTOR_LANES;
    }
    store_vector(is_done ? finish_vector(high, c) : high, to + merged, n - merged);
}

/* Sorts the n elements of r.source into r.target, with r.alt between. The source may be the target
   or alt. Merges move runs between alt and the target; the first runs are written to that array
   from which the last merge ends in the target. A run without a partner is copied. */
CLSORT_NOINLINE void vector_sort(radix_t r)
{
    const uint merges = ceil_log2((r.n + CLSORT_LEAF - 1) / CLSORT_LEAF);
    global lane_t *from = lanes_of(merges & 1 ? r.alt : r.target),
                  *to = lanes_of(merges & 1 ? r.target : r.alt);
    for (uint i = 0; i < r.n; i += CLSORT_LEAF)
        sort_leaf(lanes_of(r.source) + i, from + i, min(r.n - i, (uint)CLSORT_LEAF), r.codec, 1,
                  merges == 0);
    for (uint run = CLSORT_LEAF; run < r.n; run *= 2) {
        global lane_t *const merged = to;
        for (uint i = 0; i < r.n; i += 2 * run)
            merge_vectors(from + i, to + i, min(r.n - i, 2 * run), min(r.n - i, run), r.codec,
                          2 * run >= r.n);
        to = from;
        from = merged;
    }
}
#endif   /* CLSORT_VECTOR_LANES > 0 && ... */

//---- vectors: or a work-item [CACHED SEGMENTS.alone SEGMENTS.lanes]
#if CLSORT_VECTOR_LANES == 0
/* Elements that vectors cannot hold are sorted by digits. */
INLINE void vector_sort(radix_t r) {}
#endif

/* Sorts r.n elements by one work-item: by vectors, by digits or by insertion. */
INLINE void sort_alone(radix_t r)
{
    if (CLSORT_PACKS_PAIRS || sorts_by_vectors(r))
        vector_sort(r);
    else if (r.n > CLSORT_INSERTION_MOST)
        sort_small(r);
    else
        insertion_sort(r.source, r.target, 0, r.n, r.codec);
}

//---- vectors: rows [SEGMENTS.alone SEGMENTS.lanes]
#if CLSORT_VECTOR_LANES > 0
/* Where the elements of the k-th vector lie, if `rows` rows fill vectors: begin: the first of them,
   counted from the start of the first row; size: how many they are. Rows begin `stride` elements
   apart, and each has n elements in `wide` vectors. Rows that do not exist are empty. */
INLINE segment_t lanes_of_rows(uint k, uint wide, uint n, uint rows, uint stride)
{
    const segment_t held = { k / wide * stride + k % wide * CLSORT_VECTOR_LANES,
                             k / wide < rows ? lanes_left(n, k % wide) : 0 };
    return held;
}

/* Sorts as many rows as a vector has lanes, from row i on, each of up to `wide` vectors. A row
   becomes a column, so that no step crosses lanes. The shuffles stay loops: unrolled, they take
   Intel's compiler 0.6 s more, and the sort is not faster. */
INLINE void sort_wide_rows(radix_t r, segments_t s, uint i, uint wide)
{
    const uint vectors = wide * CLSORT_VECTOR_LANES, rows = s.segments - i;
    const segment_t first = take_segment(s, i);
    const lane_t rest = finish_lane((lane_t)~(lane_t)0, r.codec);
    global lane_t *const to = lanes_of(advance(r.target, first.begin));
    global const lane_t *const from = lanes_of(advance(r.source, first.begin));
    vector_t v[CLSORT_ROW_VECTORS];
    for (uint k = 0; k < vectors; k++) {
        const segment_t held = lanes_of_rows(k, wide, first.size, rows, s.stride);
        v[k] = encode_vector(load_vector(from + held.begin, held.size, rest), r.codec);
    }
    for (uint bit = 1; bit < CLSORT_VECTOR_LANES; bit *= 2)
        shuffle_vectors(v, vectors);
    sort_columns(v, vectors);
    for (uint bit = 1; bit < vectors; bit *= 2)
        shuffle_vectors(v, vectors);
    for (uint k = 0; k < vectors; k++) {
        const segment_t held = lanes_of_rows(k, wide, first.size, rows, s.stride);
        store_vector(finish_vector(v[k], r.codec), to + held.begin, held.size);
    }
}

CLSORT_NOINLINE void sort_rows(radix_t r, segments_t s, uint i)
{
    if (take_segment(s, i).size <= CLSORT_VECTOR_LANES)
        sort_wide_rows(r, s, i, 1);
    else
        sort_wide_rows(r, s, i, 2);
}
#else
INLINE void sort_rows(radix_t r, segments_t s, uint i) {}
#endif   /* CLSORT_VECTOR_LANES > 0 */

//---- vectors: pieces [SEGMENTS.alone SEGMENTS.lanes]
/* Sorts a piece of a segment, or a whole segment, into the array that its merges start from. */
INLINE void sort_piece(radix_t r, job_t job, uint piece)
{
    const uint first = job.slice * piece, begin = job.segment.begin + first,
               moves = segment_passes(job.segment, piece);
    const array_t from = advance(array_at(job.where, r.source, r.target, r.alt), begin);
    const array_t to = advance(moves & 1 ? r.alt : r.target, begin),
                  alt = advance(moves & 1 ? r.target : r.alt, begin);
    r.n = first < job.segment.size ? min(job.segment.size - first, piece) : 0;
    r.source = from;
    r.target = to;
    r.alt = alt;
    r.in_place = from.keys == to.keys      ? TARGET_IS_SOURCE
                 : from.keys == alt.keys ? ALT_IS_SOURCE
                                           : 0;
    sort_alone(r);
}

/* The number of rows that are sorted at once. */
INLINE uint rows_together(radix_t r, jobs_t j)
{
    return sorts_by_vectors(r) && j.per == 1 && j.segments.count <= 2 * CLSORT_VECTOR_LANES
               ? CLSORT_VECTOR_LANES
               : 1;
}

/* Each work-item sorts whole segments of up to `piece` elements, then pieces of longer segments:
   each job is one piece. If segments are ranges, or rows of several pieces, there are only jobs.
   One loop does both, so that the sort is compiled once. scratch: a plan for each work-item. */
CLSORT_WITH_VECTORS
CLSORT_KERNEL void clsort_radix_pieces(CLSORT_RADIX_ARGS, CLSORT_JOB_ARGS, uint piece)
{
    radix_t r = CLSORT_RADIX;
    const jobs_t given = CLSORT_JOBS, j = sortable_jobs(given);
    const segments_t s = j.segments;
    const uint ranges = s.given_as & CLSORT__SEGMENTS_IN_RANGES, listed = !ranges && !j.per,
               together = rows_together(r, j),
               groups = s.segments / together + (s.segments % together != 0),
               whole = listed || j.per == 1 ? groups : 0, cut = j.per == 1 ? 0 : job_count(j);
    const ulong all = (ulong)whole + cut;
    r.scratch += get_global_id(0) * CLSORT__PLAN_WORDS;
    for (ulong i = first_job(all); i < all; i += get_global_size(0)) {
        if (together > 1) {
            sort_rows(r, s, (uint)i * together);
            continue;
        }
        job_t job = { { 0, 0 }, 0, ARRAY_SOURCE };
        if (i < whole)
            job.segment = take_segment(s, (uint)i);
        else
            job = take_job(j, (uint)(i - whole));
        if (!listed || (job.segment.size <= piece) == (i < whole))
            sort_piece(r, job, piece);
    }
}

//---- cached [CACHED]
/* RADIX IN CACHE, for CPUs, stable: one pass over memory, by the highest bits. A sample cuts the
   codes between its least and its greatest one into up to 4096 cells of equal width, and the cells
   into up to 256 RANGES with about equally many elements. A range then fits a core's cache, where
   one work-item sorts it: by vectors, or by digits from the lowest one on. (If few digits tell
   pairs apart, digits took 0.9 to 1.1 of the time of vectors.)

     sample     one work-item: cells, ranges
     count      how many elements of each range each block has     reads keys
     ranges     one work-item: where each block's elements of each range begin
     split      moves elements to their ranges, in alt; packs      reads and writes elements
                pairs that vectors will sort
     buckets    work-items draw ranges and sort them to target     reads and writes elements
     buckets    of few elements, alone: one work-item sorts all

   If elements fit into lanes and 3/4 of the sample have one code, that code is COMMON. Bare keys
   with it are counted but not moved; pairs with it are moved behind the others of their range. When
   the others are sorted, the common elements are inserted between them. With 95 % zeros the sort
   took twice as long when all keys were moved and sorted.

   If one range is so large that cores would wait for the core that sorts it, SKIP_PASSES is
   cleared. Then the kernels that follow end at once, and the passes, enqueued behind them, sort. A
   range in which the sample has only one code may be as large as it likes: its sort is short. For
   few elements, or on a device with few cores, no passes are enqueued.

   Sources: as of hybrid radix; a buffer for each range: O. Polychroniou, K. A. Ross, A
   Comprehensive Study of Main-Memory Partitioning, 2014. */
/* Tables behind the plan: a head; for each range, 1 if the sample has several codes there; where
   each range begins; the range of each cell, a byte each; for each block, the counts of ranges.
   In the head, AROUND is the range around the common code, or CLSORT__CACHED_RANGES if no code is
   common; LEFT is the number of common elements. */
enum {
    CACHED_TICKET, CACHED_IN_USE, CACHED_SHIFT, CACHED_AROUND, CACHED_LOW, CACHED_LAST = 6,
    CACHED_COMMON = 8, CACHED_LEFT = 10
};

INLINE global uint *cached_words(radix_t r)
{
    return r.scratch + CLSORT__PLAN_WORDS;
}

INLINE global uint *cached_starts(radix_t r)
{
    return cached_words(r) + CLSORT__CACHED_STARTS_AT;
}

/* The digit_t of the cells: it makes a cell of a code, whose range range_of finds. */
INLINE digit_t take_cells(radix_t r)
{
    global const uint *w = cached_words(r);
    const uint left = CLSORT__CACHED_RANGES
                      - (!CLSORT_PACKS_PAIRS && w[CACHED_AROUND] < CLSORT__CACHED_RANGES);
    const digit_t d = { w[CACHED_SHIFT], CLSORT__CACHED_CELLS - 1, 1, left,
                        table_code(w + CACHED_LOW), table_code(w + CACHED_LAST),
                        table_code(w + CACHED_COMMON),
                        (global const uchar *)(w + CLSORT__CACHED_CELLS_AT) };
    return d;
}

/* The source of the first move, without values if its keys are to be numbered. */
INLINE array_t cached_source(radix_t r, uint in_place)
{
    if (in_place & CLSORT__NUMBERS_KEYS)
        r.source.values = 0;
    return r.source;
}

//---- cached: sample [CACHED]
/* Encodes a sample: one key, at a pseudo-random place, of each of 2^size_log2 equal parts. */
INLINE void load_sample(radix_t r, uint size_log2, code_t *code)
{
    for (uint i = 0; i < 1u << size_log2; i++) {
        const uint noise = (i + 1) * 0x9E3779B9u, jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;
        const ulong place = ((ulong)i << 32 | jitter) >> size_log2;
        code[i] = encode(*key_place(r.source, (size_t)(place * r.n >> 32)), r.codec);
    }
}

/* Makes the cells, and finds the code that may be common: if more than half of the sample has one
   code, it is this one. */
INLINE digit_t make_cells(radix_t r, const code_t *code, uint size)
{
    global uint *w = cached_words(r);
    code_t low = code[0], last = low, common = low;
    for (uint i = 0, lead = 0; i < size; i++) {
        low = min(low, code[i]);
        last = max(last, code[i]);
        common = lead ? common : code[i];
        lead += code[i] == common ? 1 : -1;
    }
    set_table_code(w + CACHED_LOW, low);
    set_table_code(w + CACHED_LAST, last);
    set_table_code(w + CACHED_COMMON, common);
    w[CACHED_SHIFT] = 0;
    while ((code_t)(last - low) >> w[CACHED_SHIFT] >= CLSORT__CACHED_CELLS)
        w[CACHED_SHIFT]++;
    return take_cells(r);
}

/* Marks the ranges in which the sample has several codes. */
INLINE void mark_mixed(radix_t r, digit_t d, const code_t *code, uint size)
{
    global uint *mixed = cached_words(r) + CLSORT__CACHED_MIXED_AT;
    code_t first[CLSORT__CACHED_RANGES];
    uint seen[CLSORT__CACHED_RANGES];
    for (uint k = 0; k < CLSORT__CACHED_RANGES; k++)
        mixed[k] = seen[k] = 0;
    for (uint i = 0; i < size; i++) {
        const uint k = range_of(digit_of(code[i], d), d);
        if (!seen[k])
            first[k] = code[i];
        seen[k] = 1;
        mixed[k] |= first[k] != code[i];
    }
}

/* Cuts cells into ranges of about equally many elements, not counting elements of a common code. */
INLINE void make_ranges(radix_t r, digit_t d, const code_t *code, uint size)
{
    global uint *w = cached_words(r);
    global uchar *const range = (global uchar *)(w + CLSORT__CACHED_CELLS_AT);
    uint count[CLSORT__CACHED_CELLS + 1], before = 0;
    for (uint cell = 0; cell <= CLSORT__CACHED_CELLS; cell++)
        count[cell] = 0;
    for (uint i = 0; i < size; i++)
        count[digit_of(code[i], d)]++;
    const uint often = count[CLSORT__CACHED_CELLS], around = cell_of(d.common, d),
               apart = CLSORT_IN_LANES && often >= CLSORT__EDGE_CACHED_COMMON(size),
               all = apart ? max(size - often, 1u) : size,
               ranges = clamp(r.n >> CLSORT__EDGE_CACHED_RANGE_LOG2,
                              (uint)CLSORT__EDGE_CACHED_LEAST_RANGES,
                              CLSORT__CACHED_RANGES - apart);
    count[around] += apart ? 0 : often;
    for (uint cell = 0; cell < CLSORT__CACHED_CELLS; cell++) {
        range[cell] = (uchar)min(before * ranges / all, ranges - 1);
        before += count[cell];
    }
    range[CLSORT__CACHED_CELLS] = apart ? CLSORT__CACHED_RANGES - 1 : range[around];
    w[CACHED_AROUND] = apart ? range[around] : CLSORT__CACHED_RANGES;
    w[CACHED_IN_USE] = ranges;
}

/* One work-item. A sample has at most 1 / 32 of the elements. */
CLSORT_KERNEL void clsort_cached_sample(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    const uint size_log2 = min((uint)CLSORT__CACHED_SAMPLE_LOG2, 26 - clz(r.n | 32u)),
               size = 1u << size_log2;
    code_t code[1 << CLSORT__CACHED_SAMPLE_LOG2];
    if (get_global_id(0) != 0)
        return;
    load_sample(r, size_log2, code);
    const digit_t d = make_cells(r, code, size);
    make_ranges(r, d, code, size);
    mark_mixed(r, d, code, size);
}

//---- cached: ranges [CACHED]
CLSORT_KERNEL void clsort_cached_count(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    const uint block = (uint)get_global_id(0);
    const block_t b = take_block(r, block, 1);
    if (b.size > 0)
        count_block(r, r.source, block, b, take_cells(r));
}

/* One work-item finds where each block's elements of each range begin, and decides who sorts. The
   passes sort if they are enqueued and a range in which the sample has several codes has more than
   1 / heavy_part of the elements. The argument `pass` is heavy_part. */
CLSORT_KERNEL void clsort_cached_ranges(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    global uint *const w = cached_words(r), *const starts = cached_starts(r);
    const uint heavy_part = pass, ranges = w[CACHED_IN_USE];
    uint sum = 0, heaviest = 0;
    if (get_global_id(0) != 0)
        return;
    for (uint d = 0; d < ranges; d++) {
        starts[d] = sum;
        sum = place_digit(r, d, sum);
        if (w[CLSORT__CACHED_MIXED_AT + d])
            heaviest = max(heaviest, sum - starts[d]);
        if (d == w[CACHED_AROUND]) {
            const uint begin = sum;
            sum = place_digit(r, CLSORT__CACHED_RANGES - 1, sum);
            w[CACHED_LEFT] = sum - begin;
        }
    }
    starts[ranges] = sum;
    w[CACHED_TICKET] = 0;
    r.scratch[CLSORT__SKIP_PASSES] = !(in_place & CLSORT__MAY_SKIP) || heaviest <= r.n / heavy_part;
}

CLSORT_KERNEL void clsort_cached_split(CLSORT_RADIX_ARGS)
{
    const radix_t r = CLSORT_RADIX;
    const uint block = (uint)get_global_id(0);
    const block_t b = take_block(r, block, r.scratch[CLSORT__SKIP_PASSES]);
    uint next[CLSORT__CACHED_RANGES];
    if (b.size == 0)
        return;
    for (uint d = 0; d < CLSORT__CACHED_RANGES; d++)
        next[d] = block_table(r, block)[d];
    move_block(r, cached_source(r, in_place), r.alt, b, take_cells(r), next, CLSORT_STAGES(r.n));
}

//---- cached: buckets [CACHED]
/* The scratch of a work-item. For packed pairs: its spare lanes, which begin at a multiple of a
   vector. Otherwise: the plan of its sorts, in the memory of one block's counts. */
INLINE global uint *own_scratch(radix_t r)
{
    const uint own = (uint)get_global_id(0);
    global uint *const plan = r.blocks ? block_table(r, CLSORT_PACKS_PAIRS ? r.blocks : own)
                                       : cached_words(r);
    return CLSORT_PACKS_PAIRS ? r.scratch + ((uint)(plan - r.scratch) + 15) / 16 * 16
                                    + (size_t)own * 2 * spare_lanes(r)
                              : plan;
}

/* Inserts `left` elements of the common code into a sorted range. Pairs of this code lie behind the
   range's other pairs in alt. */
INLINE void insert_common(radix_t r, code_t common, uint left)
{
    const code_t key = decode(common, r.codec);
    global uint *const values = (global uint *)r.target.values;
    uint i = r.n;
    for (; i > 0 && encode(*key_place(r.target, i - 1), r.codec) > common; i--) {
        *key_place(r.target, i - 1 + left) = *key_place(r.target, i - 1);
        if (CLSORT_PACKS_PAIRS) values[i - 1 + left] = values[i - 1];
    }
    for (uint k = 0; k < left; k++) {
        *key_place(r.target, i + k) = key;
        if (CLSORT_PACKS_PAIRS) values[i + k] = (uint)lanes_of(r.alt)[r.n + k];
    }
}

/* Work-items draw ranges and sort them. Without blocks, one work-item sorts all elements. */
CLSORT_WITH_VECTORS
CLSORT_KERNEL void clsort_cached_buckets(CLSORT_RADIX_ARGS)
{
    const radix_t all = CLSORT_RADIX;
    global uint *const words = cached_words(all), *const starts = cached_starts(all);
    const uint ranges = !all.blocks                         ? 1
                        : all.scratch[CLSORT__SKIP_PASSES] ? words[CACHED_IN_USE]
                                                           : 0;
    radix_t r = all;
    r.scratch = own_scratch(all);
    r.in_place = CLSORT_RANGES_ARE;
    r.done = 0;
    for (uint i = 0;; i++) {
        const uint d = all.blocks ? atomic_inc(&words[CACHED_TICKET]) : i;
        if (d >= ranges)
            break;
        const uint begin = all.blocks ? starts[d] : 0;
        const uint left = all.blocks && d == words[CACHED_AROUND] ? words[CACHED_LEFT] : 0;
        r.n = (all.blocks ? starts[d + 1] - begin : all.n) - left;
        r.target = advance(all.CLSORT_RESULT, begin);
        r.alt = advance(all.CLSORT_OTHER, begin);
        if (CLSORT_PACKS_PAIRS)
            r.alt.keys = all.alt.keys + begin * sizeof(moved_t);
        r.source = r.CLSORT_RANGES;
        if (CLSORT_PACKS_PAIRS && in_place & CLSORT__NUMBERS_KEYS)
            r.source.values = 0;
        for (uint k = 0; k < r.n && !all.blocks; k++) {
            const moved_t e = load_moved(r, cached_source(all, in_place), k);
            store_moved(r, r.alt, k, &e, 1);
        }
        sort_alone(r);
        if (CLSORT_IN_LANES && left)
            insert_common(r, table_code(words + CACHED_COMMON), left);
    }
}

//---- segments [SEGMENTS]
/* SEGMENTS ARE MERGED in four kinds of launches; the drawing is at the top of this file. The number
   of launches does not grow with the number of segments:

     jobs    lists the slices of long segments, if only the device knows the segments' lengths
     pack    sorts short segments, of up to half a tile, several to a tile, in one trip through
             local memory
     tile    sorts the tiles of long segments
     pass    merges runs of 1, 2, 4 ... tiles in long segments that still have several runs; where
             work-groups make progress, one launch does all passes

   A pass moves a segment from one of the arrays alt and target to the other. If a segment takes an
   even number of passes, its tiles are sorted into the target, else into alt. So its last pass ends
   in the target, and later passes leave it alone. On CPUs clsort_radix_pieces does the work of pack
   and tile. */
/* The array that holds a segment's runs before a pass. Before pass `passes`, when one run is left,
   it is the target. */
INLINE array_t runs_before(array_t target, array_t alt, uint passes, uint pass)
{
    return passes - pass & 1 ? alt : target;
}

#if !CLSORT_KERNEL_SUBSET
/* Writes the slices of a work-group's segments to the table, from job `base` on. first: the first
   of these segments; sums[i]: how many slices segments first ... first + i have. */
INLINE void write_jobs(jobs_t j, uint base, uint first, uint slices, local const uint *sums)
{
    for (uint k = local_id(); k < slices && base < j.most && k < j.most - base; k += CLSORT_GROUP) {
        uint which = 0;
        for (uint step = CLSORT_GROUP / 2; step > 0; step /= 2)
            which += sums[which + step - 1] <= k ? step : 0;
        j.table[CLSORT__JOB_HEAD + 2 * (base + k)] = first + which;
        j.table[CLSORT__JOB_HEAD + 2 * (base + k) + 1] = k - (which ? sums[which - 1] : 0);
    }
}

/* Fills the table of jobs: the first segment that begins in each half tile, and in any order the
   slices of segments with more than `least` elements. A work-group counts the slices of
   CLSORT_GROUP segments, reserves their places in the table at once and fills them in turn; a
   search in the sums finds a slice's segment. If offsets descend, several work-items may write the
   same half tile's word. Nobody reads it then, and atomic exchanges make these writes legal. The
   table's head must be 0 before; if there is only one work-group, it clears the head itself.
   sums: CLSORT__SCAN_TOTAL_WORDS words. */
CLSORT_KERNEL void clsort_segment_jobs(CLSORT_JOB_ARGS, uint least, uint slice, local uint *sums)
{
    const jobs_t j = CLSORT_JOBS;
    const segments_t s = j.segments;
    const uint t = local_id(), first = (uint)get_group_id(0) * CLSORT_GROUP,
               i = first + t, reach = max(slice / 2, 1u);
    const segment_t nothing = { 0, 0 }, own = i < segment_count(s) ? take_segment(s, i) : nothing;
    if (get_num_groups(0) == 1 && t == 0)
        for (uint k = 0; k < CLSORT__JOB_HEAD; k++)
            j.table[k] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < segment_count(s) && segment_descends(s, i))
        atomic_or((volatile global uint *)j.table + JOBS_DESCEND, 1);
    const uint own_slices = own.size > least ? (own.size - 1) / slice + 1 : 0;
    if (s.given_as & CLSORT__SEGMENTS_AT_OFFSETS && i < s.segments
        && (i == 0 || take_segment(s, i - 1).begin / reach < own.begin / reach))
        atomic_xchg((volatile global uint *)job_half_tile(j, own.begin / reach), i);
    uint slices;
    sums[t] = own_slices + group_scan_total(own_slices, sums, &slices);
    if (own_slices)
        atomic_max((volatile global uint *)j.table + JOBS_LONGEST, own_slices);
    if (t == 0)
        sums[CLSORT_GROUP] =
            slices ? atomic_add((volatile global uint *)j.table + JOBS_LISTED, slices) : 0;
    local_barrier();
    write_jobs(j, sums[CLSORT_GROUP], first, slices, sums);
}
#endif   /* !CLSORT_KERNEL_SUBSET */

//---- segments: tiles [SEGMENTS.group]
#if CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_TILES
/* Sorts the tiles of long segments. */
CLSORT_KERNEL void clsort_segment_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),
                                       CLSORT_ARRAY_ARGS(alt), CLSORT_CODEC_ARGS, CLSORT_JOB_ARGS,
                                       local code_t *keys, local uint *words, local uint *splits)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target),
                  alt = CLSORT_ARRAY(alt);
    const codec_t codec = CLSORT_CODEC;
    const jobs_t given = CLSORT_JOBS, j = sortable_jobs(given);
    const uint all = job_count(j);
    for (uint i = (uint)get_group_id(0); i < all; i += (uint)get_num_groups(0)) {
        const job_t job = take_job(j, i);
        const uint first = job.slice * CLSORT_TILE_ITEMS,
                   size = first < job.segment.size
                              ? min(job.segment.size - first, (uint)CLSORT_TILE_ITEMS)
                              : 0;
        const array_t from = array_at(job.where, source, target, alt);
        const array_t to = runs_before(target, alt, segment_passes(job.segment, CLSORT_TILE_ITEMS),
                                       0);
        sort_tile(from, to, job.segment.begin + first, size, first, codec, codec, keys, words,
                  splits);
        local_barrier();
    }
}

/* Merges two runs of 2^pass tiles, if the job's segment has several runs: writes the job's slice of
   the result. */
INLINE void merge_job(job_t job, array_t target, array_t alt, uint pass, codec_t codec,
                      local code_t *keys, local uint *words, local uint *splits)
{
    const uint passes = segment_passes(job.segment, CLSORT_TILE_ITEMS),
               first = job.slice * CLSORT_TILE_ITEMS, run = CLSORT_TILE_ITEMS << pass;
    const array_t from = advance(runs_before(target, alt, passes, pass), job.segment.begin);
    const array_t to = advance(runs_before(target, alt, passes, pass + 1), job.segment.begin);
    const pair_t p = find_pair(from, from, first, pass < passes ? job.segment.size : 0, run,
                               2 * run - 1);
    merge_tile(p, first, to, 0, 0, codec, keys, words, splits);
}

/* Does the passes pass ... end - 1: each merges pairs of runs of 2^pass tiles, in the segments that
   still have several runs. If there are several passes, work-groups draw the jobs: see "group:
   numbers". The last word of `splits` holds the drawn number. */
CLSORT_KERNEL void clsort_segment_pass(CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt),
                                       CLSORT_CODEC_ARGS, CLSORT_JOB_ARGS, uint pass, uint end,
                                       local code_t *keys, local uint *words, local uint *splits)
{
    const array_t target = CLSORT_ARRAY(target), alt = CLSORT_ARRAY(alt);
    const codec_t codec = CLSORT_CODEC;
    const jobs_t given = CLSORT_JOBS, j = sortable_jobs(given);
    const uint draws = end - pass > 1, groups = (uint)get_num_groups(0);
    global uint *numbers = j.table + JOBS_NUMBERS;
    local uint *word = splits + CLSORT_GROUP + 3;
    uint i = draws ? share_number(draw_ahead(numbers), word) : (uint)get_group_id(0), first = 0;
    for (uint all = pass_job_count(j, pass); pass < end && all; all = pass_job_count(j, ++pass)) {
        uint moved = 0;
        if (first)
            wait_until_done(numbers, first);
        for (; i - first < all; moved++) {
            const uint next = draws ? draw_ahead(numbers) : i + groups;
            merge_job(take_job(j, i - first), target, alt, pass, codec, keys, words, splits);
            group_sync();
            i = draws ? share_number(next, word) : next;
        }
        first += all;
        if (draws)
            tell_done(numbers, moved);
    }
}
#endif   /* CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_TILES */

//---- segments: packed [ROW_TILES SEGMENTS.group]
/* Where the elements of a tile of short segments lie. If `width` is 0, element i is at base + i.
   Otherwise the segments have `width` elements each and begin a stride apart. */
typedef struct { uint base, width, stride; } layout_t;

INLINE uint layout_place(layout_t s, uint i)
{
    return s.width ? s.base + i / s.width * s.stride + i % s.width : s.base + i;
}

/* The segments of a tile that packs them, in local memory.
   - head_flags: a bit for each element that starts a segment, and for the one after the last
     segment
   - around: one word for each work-item. If the work-item's first element continues a segment, the
     lower half is that segment's first element and the upper half its end; otherwise both halves
     are the work-item's first element. Before find_around fills it in, and if segments have gaps
     between them, `around` has a bit for each element, 1 if it lies in a segment. A gap is sorted
     like a segment, but its elements are neither loaded nor stored
   - end: the end of the last segment
   - merges: how many rounds of merges the tile needs */
#define CLSORT_HEAD_WORDS CLSORT__HEAD_WORDS(CLSORT_TILE_ITEMS)
typedef struct { local uint *head_flags, *around, *end, *merges; } packing_t;

INLINE void flag_head(packing_t m, uint index)
{
    if (index < CLSORT_TILE_ITEMS)
        atomic_or(&m.head_flags[index / 32], 1u << index % 32);
}

/* Flags elements first ... end - 1 of the tile as elements of a segment. */
INLINE void flag_inside(packing_t m, uint first, uint end)
{
    for (uint word = first / 32; word * 32 < end; word++) {
        const uint from = max(first, word * 32) % 32, size = min(end, word * 32 + 32) - word * 32;
        atomic_or(&m.around[word], (size < 32 ? (1u << size) - 1 : ~0u) & ~0u << from);
    }
}

//---- segments: packing [SEGMENTS.group]
/* Bit k is 1 if element k * CLSORT_GROUP + local_id() lies in a segment. Needs a barrier after
   flag_segments, and one before `around` is written again. */
INLINE uint own_inside(segments_t s, packing_t m)
{
    uint inside = ~0u;
    if (s.given_as & CLSORT__SEGMENTS_HAVE_GAPS)
        for (uint k = 0; k < CLSORT_ITEMS; k++) {
            const uint i = k * CLSORT_GROUP + local_id();
            inside ^= (~m.around[i / 32] >> i % 32 & 1) << k;
        }
    return inside;
}

/* The first segment that begins in a half tile of `reach` elements; the number of segments if there
   is none. The words of half tiles where no segment begins were never written. So the table's word
   counts only if that segment begins in the half tile and the segment before it does not. */
INLINE uint first_of_half_tile(jobs_t j, uint half_tile, uint reach)
{
    const segments_t s = j.segments;
    const uint i = s.segments ? min(*job_half_tile(j, half_tile), s.segments - 1) : 0;
    const uint begins = s.segments && take_segment(s, i).begin / reach == half_tile;
    return begins && (i == 0 || take_segment(s, i - 1).begin / reach < half_tile) ? i : s.segments;
}

/* Flags the heads of a tile's segments, and finds the end of the last one. The tile has `per`
   segments of equal size. Or, with offsets, it has the short segments that begin in the half tile
   of the work-group's number; these always fit. A long segment can only be the last one that begins
   in a half tile; clsort_segment_tile sorts it. Called by all work-items, with `m` cleared and a
   barrier since; `m` is complete after a barrier. */
INLINE layout_t flag_segments(jobs_t j, packing_t m)
{
    const segments_t s = j.segments;
    const uint t = local_id(), group = (uint)get_group_id(0),
               reach = CLSORT_TILE_ITEMS / 2, half_begin = group * reach, per = j.per;
    const uint first = per ? group * per : first_of_half_tile(j, group, reach);
    const segment_t nothing = { 0, 0 },
                    head = first < s.segments ? take_segment(s, first) : nothing;
    const layout_t layout = { head.begin, per && s.stride != head.size ? head.size : 0, s.stride };
    for (uint i = first + t; i < s.segments && (!per || i - first < per); i += CLSORT_GROUP) {
        const segment_t own = take_segment(s, i);
        const uint start = per ? (i - first) * own.size : own.begin - head.begin;
        if (!per && own.begin - half_begin >= reach)
            break;
        if (own.size > 0 && own.size <= reach && start <= CLSORT_TILE_ITEMS - own.size) {
            flag_head(m, start);
            atomic_max(m.end, start + own.size);
            if (s.given_as & CLSORT__SEGMENTS_HAVE_GAPS) {
                flag_head(m, start + own.size);
                flag_inside(m, start, start + own.size);
            }
        }
    }
    return layout;
}

//---- segments: heads [ROW_TILES SEGMENTS.group]
/* last_head: the last head before an element that is no head; next_head: the first head after
   it. */
INLINE uint last_head(local const uint *head_flags, uint index)
{
    uint word = index / 32, bits = head_flags[word] & ((1u << index % 32) - 1);
    while (bits == 0 && word > 0)
        bits = head_flags[--word];
    return word * 32 + (bits ? 31 - clz(bits) : 0);
}

INLINE uint next_head(local const uint *head_flags, uint index)
{
    uint word = index / 32, bits = head_flags[word] & ~((2u << index % 32) - 1);
    while (bits == 0 && ++word < CLSORT_HEAD_WORDS)
        bits = head_flags[word];
    return bits ? word * 32 + 31 - clz(bits & -bits) : CLSORT_TILE_ITEMS;
}

/* Fills in `around` and `merges`. The places of work-items t - 1 and t lie in different runs until
   round k merges them, where 2^k is the lowest set bit of t. A segment across this border needs
   that round.
   Called by all work-items with a barrier since the heads were flagged; needs one after. */
INLINE void find_around(packing_t m, uint size)
{
    const uint t = local_id(), first = t * CLSORT_ITEMS;
    const uint cut = first < size && !(m.head_flags[first / 32] >> first % 32 & 1);
    m.around[t] = cut ? last_head(m.head_flags, first) | next_head(m.head_flags, first) << 16
                      : first | first << 16;
    if (cut)
        atomic_max(m.merges, 32 - clz(t & -t));
}

//---- segments: packed elements [ROW_TILES SEGMENTS.group]
/* Sorts the elements in a work-item's registers by odd-even transposition, but orders no two
   elements of different segments. Bit m of head_flags: element m starts a segment. */
INLINE void sort_between(item_t *v, uint head_flags, codec_t c)
{
    #pragma unroll
    for (uint round = 0; round < CLSORT_ITEMS; round++) {
        #pragma unroll
        for (uint m = 0; m + 1 < CLSORT_ITEMS; m++)
            if (m % 2 == round % 2 && !(head_flags >> (m + 1) & 1))
                order_neighbours(&v[m], &v[m + 1], c);
    }
}

/* Merges [first, middle) and [middle, end), the parts of one segment in two neighbouring runs, and
   keeps the elements around them. Each work-item puts the elements of its own places into v.
   Barriers and reads beyond the end as for merge_items. */
INLINE void merge_inside(item_t *v, local const code_t *keys, local const uint *words,
                         uint first, uint middle, uint end, codec_t c)
{
    const uint own = local_id() * CLSORT_ITEMS,
               diagonal = own > first ? min(own, end) - first : 0;
    const uint split = split_items(keys, words, first, middle - first, middle, end - middle,
                                   diagonal, c);
    uint a = own < first ? own : first + split, b = own > end ? own : middle + (diagonal - split);
    item_t x = get_item(keys, words, a), y = get_item(keys, words, b);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint second = a >= middle || (a >= first && b < end && comes_before(y, x, c));
        v[m] = second ? y : x;
        const uint next_place = second ? ++b : ++a;
        const item_t next_item = get_item(keys, words, next_place);
        x = second ? x : next_item;
        y = second ? next_item : y;
    }
}

/* Sorts each segment of a tile. With CLSORT_BREAK_TIES_BY_INDEX it first numbers the elements of
   each segment. Called with the elements in local memory, find_around done, and a barrier since;
   leaves the sorted elements there, with a barrier since. */
INLINE void sort_packed(local code_t *keys, local uint *words, packing_t packing,
                        codec_t codec)
{
    const uint t = local_id(), first = t * CLSORT_ITEMS, merges = *packing.merges,
               heads = packing.head_flags[first / 32] >> first % 32;
    item_t v[CLSORT_ITEMS];
    uint begin = packing.around[t] & 0xFFFF;
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        v[m] = get_item(keys, words, first + m);
        begin = heads >> m & 1 ? first + m : begin;
        if (CLSORT_BREAK_TIES_BY_INDEX)
            v[m].word[0] = first + m - begin;
    }
    sort_between(v, heads, codec);
    put_own_items(keys, words, v);
    #pragma unroll 1
    for (uint k = 0; k < merges; k++) {
        const uint run = CLSORT_ITEMS << k, start = first & ~(2 * run - 1),
                   around = packing.around[(start + run) / CLSORT_ITEMS];
        merge_inside(v, keys, words, max(around & 0xFFFF, start), start + run,
                     min(around >> 16, start + 2 * run), codec);
        put_own_items(keys, words, v);
    }
}

//---- segments: pack kernel [ROW_TILES SEGMENTS.group]
/* Makes a cleared packing_t in `space`. Called by all work-items; ends with a barrier. */
INLINE packing_t clear_packing(local uint *space)
{
    local uint *const behind = space + CLSORT_HEAD_WORDS + CLSORT_GROUP;
    const packing_t packing = { space, space + CLSORT_HEAD_WORDS, behind, behind + 1 };
    clear_words(space, CLSORT__PACKING_WORDS(CLSORT_GROUP, CLSORT_TILE_ITEMS));
    local_barrier();
    return packing;
}

#if CLSORT_IS(SEGMENTS) && !CLSORT_RANGES && CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_LONG
/* Sorts short segments, a tile of them per work-group: `per` segments if all have the same size.
   Reads and writes each element once. space: CLSORT__PACKING_WORDS words. */
CLSORT_KERNEL void clsort_segment_pack(CLSORT_SORT_ARGS, CLSORT_JOB_ARGS, local code_t *keys,
                                       local uint *words, local uint *space)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const jobs_t given = CLSORT_JOBS, j = sortable_jobs(given);
    const packing_t packing = clear_packing(space);
    const layout_t layout = flag_segments(j, packing);
    local_barrier();
    const uint t = local_id(), size = *packing.end, inside = own_inside(j.segments, packing);
    if (CLSORT_BRANCH_BARRIERS && size == 0)
        return;
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint i = m * CLSORT_GROUP + t;
        put_item(keys, words, i,
                 i < size && inside >> m & 1
                     ? load_numbered(source, codec, layout_place(layout, i), 0)
                     : top_item());
    }
    if (t == 0)
        flag_head(packing, size);
    local_barrier();
    find_around(packing, size);
    local_barrier();
    sort_packed(keys, words, packing, codec);
    for (uint i = t, m = 0; i < size; i += CLSORT_GROUP, m++)
        if (inside >> m & 1)
            store_whole_item(target, codec, layout_place(layout, i), get_item(keys, words, i));
}
#endif   /* CLSORT_IS(SEGMENTS) && !CLSORT_RANGES && ... */

//---- segments: serially [SEGMENTS.alone SEGMENTS.lanes]
#if CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_TILES
/* Merges pairs of runs of 2^pass pieces in segments that have several. Each job writes a piece. */
CLSORT_KERNEL void clsort_segment_pass(CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt),
                                       CLSORT_CODEC_ARGS, CLSORT_JOB_ARGS, uint pass, uint piece)
{
    const array_t target = CLSORT_ARRAY(target), alt = CLSORT_ARRAY(alt);
    const codec_t codec = CLSORT_CODEC;
    const jobs_t given = CLSORT_JOBS, j = sortable_jobs(given);
    const uint all = pass_job_count(j, pass), run = piece << pass;
    for (uint i = (uint)first_job(all); i < all; i += (uint)get_global_size(0)) {
        const job_t job = take_job(j, i);
        const uint passes = segment_passes(job.segment, piece), first = job.slice * piece;
        if (pass >= passes || first >= job.segment.size)
            continue;
        const array_t from = advance(runs_before(target, alt, passes, pass), job.segment.begin);
        const pair_t p = find_pair(from, from, first, job.segment.size, run, 2 * run - 1);
        const uint begin = first - p.start, size = p.na + p.nb, end = min(begin + piece, size),
                   a = split_pair(p, begin, codec);
        const uint end_a = end == size ? p.na : split_pair(p, end, codec);
        merge_slice(p, a, end_a, begin - a, end - end_a,
                    advance(runs_before(target, alt, passes, pass + 1), job.segment.begin), first,
                    codec);
    }
}
#endif   /* CLSORT_KERNEL_SUBSET != CLSORT__SUBSET_TILES */

//---- batch [BATCH]
/* BATCHES as published: one launch sorts rows of n elements, `stride` elements apart, from source
   to target, which may be the same. Each row has a work-group, with barriers between its steps. All
   comparisons put the smaller element at the smaller index, so rows of any length need no padding.
   Source: M. Zucchi, Parallel batch sorting, 2013.

     odd-even       Batcher's odd-even merge sort, every step in global memory
     bitonic        a bitonic network, every step in global memory
     bitonic-local  steps inside a block run in local memory, one block after another
     bitonic-split  as bitonic-local, but the step of the bit above a block is done while two
                    neighbouring blocks are loaded. A work-item orders pairs of their elements. The
                    smaller one of each pair goes to local memory, the other waits in a register
                    until the first block is done */
/* The stages of a row. A row of one element has one stage, which moves it to the target. */
INLINE uint batch_stages(uint n)
{
    return max(ceil_log2(n), 1u);
}

#define CLSORT_BATCH_ARGS CLSORT_SORT_ARGS, uint n, uint stride

INLINE array_t batch_row(array_t a, uint stride)
{
    return advance(a, (long)((uint)get_group_id(0) * stride));
}

/* As global_step, for Batcher's network. In the steps after the first one of a stage, the pairs
   begin at element 2^bit, not 0, and pairs that would reach beyond a merged sequence are left
   out. */
INLINE void odd_even_step(array_t from, array_t to, codec_t c, uint n, uint bit, uint stage)
{
    const uint start = bit < stage ? 1u << bit : 0;
    for (uint t = local_id(); t < pairs_below(n, bit); t += CLSORT_GROUP) {
        const uint i = make_window(t, 1, bit, 0).first + start, j = i + (1u << bit);
        if ((j & ((2u << stage) - 1)) >> bit)
            order_elements(from, to, c, n, i, j);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

/* The steps of bits stage ... low, in place. */
INLINE void batch_steps(array_t row, codec_t c, uint n, uint stage, uint low)
{
    for (uint left = stage + 1; left > low; left--)
        global_step(row, row, c, n, left - 1, left > stage);
}

//---- batch: in global memory [BATCH]
CLSORT_KERNEL void clsort_batch_odd_even(CLSORT_BATCH_ARGS)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const array_t from = batch_row(source, stride), to = batch_row(target, stride);
    const codec_t codec = CLSORT_CODEC;
    const uint stages = batch_stages(n);
    for (uint stage = 0; stage < stages; stage++)
        for (uint left = stage + 1; left > 0; left--)
            odd_even_step(stage ? to : from, to, codec, n, left - 1, stage);
}

CLSORT_KERNEL void clsort_batch_bitonic(CLSORT_BATCH_ARGS)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const array_t from = batch_row(source, stride), to = batch_row(target, stride);
    const codec_t codec = CLSORT_CODEC;
    const uint stages = batch_stages(n);
    global_step(from, to, codec, n, 0, 1);
    for (uint stage = 1; stage < stages; stage++)
        batch_steps(to, codec, n, stage, 0);
}

//---- batch: blocks [BATCH]
/* The steps of stages first ... last whose bits lie inside a block, in local memory. Called by all
   work-items of a group. A barrier comes before every step and after the last one. */
INLINE void block_stages(local code_t *keys, local uint *words, uint first, uint last)
{
    for (uint stage = first; stage <= last; stage++)
        for (uint left = min(stage + 1, (uint)CLSORT_TILE_ITEMS_LOG2); left > 0; left--) {
            local_barrier();
            for (uint t = local_id(); t < CLSORT_TILE_ITEMS / 2; t += CLSORT_GROUP) {
                const window_t w = make_window(t, 1, left - 1, left > stage);
                const uint i = window_item(w, 0), j = window_item(w, 1);
                item_t a = get_item(keys, words, i), b = get_item(keys, words, j);
                order_items(&a, &b);
                put_item(keys, words, i, a);
                put_item(keys, words, j, b);
            }
        }
    local_barrier();
}

/* Loads the block at `base` into local memory. block_stages may follow without a barrier. */
INLINE void load_block(local code_t *keys, local uint *words, array_t a, codec_t c,
                       uint base, uint n)
{
    for (uint i = local_id(); i < CLSORT_TILE_ITEMS; i += CLSORT_GROUP)
        put_item(keys, words, i, load_item(a, c, base + i, n));
}

/* Stores the block at `base`. Ends with a barrier: local memory is free, and the whole group sees
   the block in global memory. */
INLINE void store_block(local const code_t *keys, local const uint *words, array_t a,
                        codec_t c, uint base, uint n)
{
    for (uint i = local_id(); i < CLSORT_TILE_ITEMS; i += CLSORT_GROUP)
        store_item(a, c, base + i, n, get_item(keys, words, i));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* The steps of stages first ... last inside blocks, one block after another. */
INLINE void batch_blocks(array_t from, array_t to, codec_t c, uint n, uint first, uint last,
                         local code_t *keys, local uint *words)
{
    const uint blocks = n ? ((n - 1) >> CLSORT_TILE_ITEMS_LOG2) + 1 : 0;
    for (uint k = 0; k < blocks; k++) {
        load_block(keys, words, from, c, k << CLSORT_TILE_ITEMS_LOG2, n);
        block_stages(keys, words, first, last);
        store_block(keys, words, to, c, k << CLSORT_TILE_ITEMS_LOG2, n);
    }
}

//---- batch: local [BATCH]
/* The steps of a stage from the bit above a block down, in place, for two neighbouring blocks at a
   time. The elements of the upper block wait in registers while the lower block is sorted. If the
   step of that bit is the mirror step, partners lie at mirrored places. */
INLINE void split_blocks(array_t row, codec_t c, uint n, uint stage, local code_t *keys,
                         local uint *words)
{
    const uint mirror = stage == CLSORT_TILE_ITEMS_LOG2 ? CLSORT_TILE_ITEMS - 1 : 0,
               lid = local_id();
    const uint pairs = ((n - 1) >> CLSORT_TILE_ITEMS_LOG2 >> 1) + 1;
    item_t upper[CLSORT_ITEMS];
    for (uint k = 0; k < pairs; k++) {
        const uint low = k << 1 << CLSORT_TILE_ITEMS_LOG2, high = low + CLSORT_TILE_ITEMS;
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++) {
            const uint i = m * CLSORT_GROUP + lid;
            item_t lower = load_item(row, c, low + i, n);
            upper[m] = load_item(row, c, high + (i ^ mirror), n);
            order_items(&lower, &upper[m]);
            put_item(keys, words, i, lower);
        }
        block_stages(keys, words, stage, stage);
        store_block(keys, words, row, c, low, n);
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            put_item(keys, words, (m * CLSORT_GROUP + lid) ^ mirror, upper[m]);
        block_stages(keys, words, stage, stage);
        store_block(keys, words, row, c, high, n);
    }
}

/* Sorts a row in blocks. A stage that reaches beyond a block begins with steps in global memory;
   its steps inside blocks follow in local memory. With splits = 1, split_blocks also does the step
   of the bit just above a block. Called by all work-items of a group, with the block's local memory
   free. */
INLINE void batch_in_blocks(array_t from, array_t to, codec_t c, uint n, const uint splits,
                            local code_t *keys, local uint *words)
{
    const uint stages = batch_stages(n);
    batch_blocks(from, to, c, n, 0, min(stages, (uint)CLSORT_TILE_ITEMS_LOG2) - 1, keys, words);
    for (uint stage = CLSORT_TILE_ITEMS_LOG2; stage < stages; stage++) {
        batch_steps(to, c, n, stage, CLSORT_TILE_ITEMS_LOG2 + splits);
        if (splits)
            split_blocks(to, c, n, stage, keys, words);
        else
            batch_blocks(to, to, c, n, stage, stage, keys, words);
    }
}

/* block_keys and block_words: local memory for a block, as for a tile. */
#define CLSORT_BATCH_KERNEL(name, splits) \
    CLSORT_KERNEL void name(CLSORT_BATCH_ARGS, local code_t *block_keys, local uint *block_words) \
    { \
        const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target); \
        const codec_t codec = CLSORT_CODEC; \
        batch_in_blocks(batch_row(source, stride), batch_row(target, stride), codec, n, splits, \
                        block_keys, block_words); \
    }
CLSORT_BATCH_KERNEL(clsort_batch_local, 0)
CLSORT_BATCH_KERNEL(clsort_batch_split, 1)

//---- quicksort [QUICKSORT RELAUNCH]
/* QUICKSORT. Each round moves elements from one of the arrays target and alt to the other; the
   first round may read them from a third one, the source. A SEQUENCE is a range of elements that
   must still be sorted: none of them belongs outside the range. It is cut into BLOCKS. A round is
   three launches over the blocks of all sequences. Each launch has as many work-groups as run at
   the same time, and does nothing if no block is left:

     count      chooses the sequence's pivot, counts a block's elements before it and equal to it,
                finds the least and the greatest code on both sides of the pivot
     plan       one work-group: turns the counts into places, and makes the children of every
                sequence
     scatter    moves the elements:   | before the pivot | equal to it | after it |

   Elements equal to the pivot have reached their place in the order, and go to the target. But a
   round that reads the target cannot write there: it moves them to alt, and they are a child, which
   is moved back later. The elements before the pivot are a child, and so are those after it. What
   becomes of a child:

     leaf        a child of up to leaf_elements elements. After all rounds one work-group sorts it
                 alone. It keeps ranges on a stack, and takes one after the other: a range that
                 fits into a tile is sorted by the bitonic network, a longer one is partitioned
     sequence    a longer child; the next round partitions it
     leftover    a sequence after the last round, a sequence whose children a list might have no
                 room for, or a range of a leaf that has partitioned too much. The kernels of
                 segments sort leftovers by merging

   A child whose codes are all equal needs no sort. It is only moved to the target.

   Counts are turned into exact places, so the result is the same every time. Source: D. Cederman
   and P. Tsigas, GPU-Quicksort, 2009. */
/* Elements of a tile. */
#define CLSORT_QUICK_TILE (CLSORT_TILE_ITEMS << CLSORT_LANES_LOG2)

/* The arguments of every kernel of quicksort. capacity: the most sequences of a round; rounds: how
   many rounds are enqueued. */
#define CLSORT_QUICK_ARGS \
    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \
        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint capacity, \
        uint leaf_elements, uint block_elements, uint in_place, uint pivot, uint rounds, uint round
#define CLSORT_QUICK_JOB \
    { \
        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(alt), CLSORT_CODEC, \
            (global uint *)(scratch + scratch_at), n, capacity, leaf_elements, block_elements, \
            in_place, pivot, rounds, round \
    }
typedef struct {
    array_t source, target, alt;
    codec_t codec;
    global uint *scratch;
    uint n, capacity, leaf_elements, block_elements, in_place, pivot, rounds, round;
} quick_t;

/* Elements begin ... begin + size - 1 of the array `array`, one of ARRAY_*. Their codes lie between
   `least` and `most`; least > most means that these bounds are not known. first: the number of the
   first block, if the range is a sequence. */
typedef struct { uint begin, size, array, first; code_t least, most; } range_t;

/* What comparing some elements with a pivot has found.
     less, equal     how many elements come before the pivot; how many are equal to it
     least, most     the least and the greatest code
     below, above    the greatest code below the pivot; the least code above it */
typedef struct { uint less, equal; code_t least, below, above, most; } partition_t;

INLINE uint8 pack_range(range_t r)
{
    return (uint8)(r.begin, r.size, r.array, r.first, as_uint4((ulong2)(r.least, r.most)));
}

INLINE range_t unpack_range(uint8 v)
{
    const ulong2 bounds = as_ulong2(v.hi);
    const range_t r = { v.s0, v.s1, v.s2, v.s3, (code_t)bounds.x, (code_t)bounds.y };
    return r;
}

INLINE range_t make_range(uint begin, uint size, uint array, code_t least, code_t most)
{
    const range_t r = { begin, size, array, 0, least, most };
    return r;
}

//---- quicksort: tables [QUICKSORT RELAUNCH]
/* The scratch. CLSORT__QUICK_*_AT say where the last three tables begin.
     state       how many sequences and blocks this round and the next one have; how many leaves and
                 leftovers there are
     sequences   two tables, of this round and the next one. A sequence has its range (8 words),
                 less, equal, the codes below and above (4 words), the pivot (2 words)
     blocks      a block has less, equal and the four codes of its partition_t
     leaves      ranges
     leftovers   ranges */
INLINE global uint *quick_state(quick_t q, uint round)
{
    return q.scratch + (round & 1) * 2;
}

INLINE global uint *sequence_at(quick_t q, uint round, uint i)
{
    return q.scratch + CLSORT__QUICK_STATE_WORDS
           + ((size_t)(round & 1) * q.capacity + i) * CLSORT__QUICK_SEQUENCE_WORDS;
}

INLINE global uint *block_at(quick_t q, uint b)
{
    return q.scratch + CLSORT__QUICK_BLOCKS_AT((size_t)q.capacity)
           + (size_t)b * CLSORT__QUICK_BLOCK_WORDS;
}

INLINE global uint *leaf_at(quick_t q, uint i)
{
    return q.scratch + CLSORT__QUICK_LEAVES_AT((size_t)q.capacity)
           + (size_t)i * CLSORT__RANGE_WORDS;
}

INLINE global uint *leftover_at(quick_t q, uint i)
{
    return q.scratch + CLSORT__QUICK_LEFTOVERS_AT((size_t)q.capacity)
           + (size_t)i * CLSORT__RANGE_WORDS;
}

INLINE array_t quick_array(quick_t q, uint which)
{
    return array_at(which, q.source, q.target, q.alt);
}

/* round_array: the array that a round reads. unequal_array: where a round that reads `which` moves
   elements before and after the pivot: from alt to the target, else to alt. equal_array: where it
   moves elements equal to the pivot: to the target, but to alt if it reads the target. */
INLINE uint round_array(quick_t q, uint round)
{
    return round & 1 ? ARRAY_ALT : round || q.in_place ? ARRAY_TARGET : ARRAY_SOURCE;
}

INLINE uint unequal_array(uint which)
{
    return which == ARRAY_ALT ? ARRAY_TARGET : ARRAY_ALT;
}

INLINE uint equal_array(uint which)
{
    return which == ARRAY_TARGET ? ARRAY_ALT : ARRAY_TARGET;
}

/* The number of the sequence that contains block b. */
INLINE uint find_sequence(quick_t q, uint b)
{
    uint low = 0, high = quick_state(q, q.round)[CLSORT__QUICK_SEQUENCES];
    while (high - low > 1) {
        const uint middle = low + ((high - low) >> 1);
        const uint after = sequence_at(q, q.round, middle)[3] <= b;
        low = after ? middle : low;
        high = after ? high : middle;
    }
    return low;
}

/* The first block of sequence i. If there is no sequence i, the number of blocks. */
INLINE uint first_block(quick_t q, uint i)
{
    global const uint *state = quick_state(q, q.round);
    return i < state[CLSORT__QUICK_SEQUENCES] ? sequence_at(q, q.round, i)[3]
                                              : state[CLSORT__QUICK_BLOCKS];
}

//---- quicksort: partitions [QUICKSORT RELAUNCH]
INLINE partition_t no_partition(void)
{
    const partition_t p = { 0, 0, CLSORT_TOP_CODE, 0, CLSORT_TOP_CODE, 0 };
    return p;
}

INLINE void add_code(partition_t *p, code_t code, code_t pivot)
{
    const code_t below = code < pivot ? code : (code_t)0,
                 above = code > pivot ? code : CLSORT_TOP_CODE;
    p->less += code < pivot;
    p->equal += code == pivot;
    p->least = min(p->least, code);
    p->below = max(p->below, below);
    p->above = min(p->above, above);
    p->most = max(p->most, code);
}

INLINE partition_t join_partitions(partition_t a, partition_t b)
{
    const partition_t p = { a.less + b.less,       a.equal + b.equal,     min(a.least, b.least),
                            max(a.below, b.below), min(a.above, b.above), max(a.most, b.most) };
    return p;
}

INLINE uint8 pack_bounds(partition_t p)
{
    return as_uint8((ulong4)(p.least, p.below, p.above, p.most));
}

INLINE partition_t unpack_partition(uint less, uint equal, uint8 bounds)
{
    const ulong4 v = as_ulong4(bounds);
    const partition_t p = { less, equal, (code_t)v.x, (code_t)v.y, (code_t)v.z, (code_t)v.w };
    return p;
}

/* The pivot of a range is the median of some samples, or the middle of the range's bounds. Returns
   the number of samples, or 0 for the middle. The samples lie at equal distances, from the first
   element to the last. */
#define CLSORT_MOST_SAMPLES (CLSORT_SHARE_LOG2 && CLSORT_GROUP < 64 ? CLSORT_GROUP - 1 : 63)
INLINE uint count_samples(quick_t q, range_t r)
{
    const uint known = r.least == r.most || (q.pivot == CLSORT__PIVOT_MIDRANGE && r.least < r.most);
    const uint wanted = q.pivot == CLSORT__PIVOT_MEDIAN3 ? 3
                        : r.size < 4096                  ? 7
                        : r.size < 65536                 ? 15
                                                         : 63;
    return known || r.size == 0 ? 0 : min(wanted, (uint)CLSORT_MOST_SAMPLES);
}

INLINE code_t take_sample(quick_t q, array_t from, range_t r, uint samples, uint i)
{
    return code_at(from, r.begin + (uint)((ulong)i * (r.size - 1) / max(samples - 1, 1u)), q.codec);
}

INLINE code_t middle_code(range_t r)
{
    return (code_t)(r.least + (code_t)((code_t)(r.most - r.least) >> 1));
}

/* Where to move the next element that comes before the pivot, is equal to it, comes after it. */
typedef struct { uint less, equal, greater; } places_t;

//---- quicksort: a work-group [QUICKSORT.group RELAUNCH.group]
/* Local memory. keys, words: a tile of elements; codes: samples, or the codes of each work-item's
   partition_t; sums: for scans, or the counts of each partition_t; stack: the ranges of a leaf. */
#define CLSORT_QUICK_KEYS \
    ((CLSORT_TILE_ITEMS + (CLSORT_TILE_ITEMS >> CLSORT_KEY_PAD_LOG2)) * CLSORT_KEY_BYTES)
typedef struct {
    local code_t *keys, *codes;
    local uint *words, *sums, *stack;
} quick_space_t;

INLINE quick_space_t quick_space(local ulong *space)
{
    local code_t *codes = (local code_t *)(space + (CLSORT_QUICK_KEYS + 7) / 8);
    local uint *words = (local uint *)(space + (CLSORT_QUICK_KEYS + 7) / 8
                                       + (4 * CLSORT_GROUP * CLSORT_KEY_BYTES + 7) / 8);
    local uint *sums = words + CLSORT_WORDS * CLSORT_WORD_SLOTS;
    const quick_space_t l = { (local code_t *)space, codes, words, sums,
                              sums + CLSORT__QUICK_SUMS(CLSORT_GROUP) };
    return l;
}

#define quick_sync(fence) barrier(fence)

//---- quicksort: sums of a work-group [QUICKSORT.group RELAUNCH.group]
/* One level of a tree of sums over the work-items. On the way up a node adds its left child's sum
   to its own. On the way down a node's value is the sum before it. Its left child gets this value,
   its right child this value plus the left child's sum. Called by all; begins with a barrier. */
INLINE void tree_level(local uint *sums, uint step, uint down)
{
    const uint right = (2 * local_id() + 2) * step - 1;
    local_barrier();
    if (right < CLSORT_GROUP) {
        const uint left = sums[right - step];
        if (down)
            sums[right - step] = sums[right];
        sums[right] += left;
    }
}

/* The sum of x over the work-items before this one; *total becomes the sum of all. It uses a tree
   of sums in local memory, as the published program does. Called by all; sums: CLSORT_GROUP words,
   free before and after. Source: G. E. Blelloch, Prefix sums and their applications, 1990. */
INLINE uint blelloch_scan(uint x, local uint *sums, uint *total)
{
    sums[local_id()] = x;
    for (uint step = 1; step < CLSORT_GROUP; step *= 2)
        tree_level(sums, step, 0);
    local_barrier();
    *total = read_once(&sums[CLSORT_GROUP - 1]);
    local_barrier();
    if (local_id() == 0)
        sums[CLSORT_GROUP - 1] = 0;
    for (uint step = CLSORT_GROUP / 2; step > 0; step /= 2)
        tree_level(sums, step, 1);
    local_barrier();
    x = read_once(&sums[local_id()]);
    local_barrier();
    return x;
}

/* The sum of x over the work-items before this one; *total becomes the sum of all. Called by all;
   the sums are free before and after. */
INLINE uint scan_total(uint x, uint *total, quick_space_t l)
{
#if CLSORT_SCAN == CLSORT__SCAN_BUILTIN
    const uint before = work_group_scan_exclusive_add(x);
    *total = work_group_broadcast(before + x, CLSORT_GROUP - 1);
    return before;
#elif CLSORT_SCAN == CLSORT__SCAN_BLELLOCH
    return blelloch_scan(x, l.sums, total);
#else
    return group_scan_total(x, l.sums, total);
#endif
}

INLINE void put_partition(quick_space_t l, uint t, partition_t p)
{
    l.sums[t] = p.less;
    l.sums[CLSORT_GROUP + t] = p.equal;
    l.codes[t] = p.least;
    l.codes[CLSORT_GROUP + t] = p.below;
    l.codes[2 * CLSORT_GROUP + t] = p.above;
    l.codes[3 * CLSORT_GROUP + t] = p.most;
}

INLINE partition_t get_partition(quick_space_t l, uint t)
{
    const partition_t p = { l.sums[t],
                            l.sums[CLSORT_GROUP + t],
                            l.codes[t],
                            l.codes[CLSORT_GROUP + t],
                            l.codes[2 * CLSORT_GROUP + t],
                            l.codes[3 * CLSORT_GROUP + t] };
    return p;
}

/* Joins the partition_t of all work-items to one, and returns it to each of them. Called by all;
   begins and ends with a barrier. */
INLINE partition_t join_group(partition_t p, quick_space_t l)
{
    const uint t = local_id();
    local_barrier();
    put_partition(l, t, p);
    for (uint step = CLSORT_GROUP / 2; step > 0; step >>= 1) {
        local_barrier();
        if (t < step) {
            p = join_partitions(p, get_partition(l, t + step));
            put_partition(l, t, p);
        }
    }
    local_barrier();
    p = get_partition(l, 0);
    local_barrier();
    return p;
}

/* The pivot of a range, see count_samples. Each work-item takes one sample and finds its rank among
   the samples; the sample of the middle rank is the pivot. Samples are taken without a loop, since
   PoCL 3.1 miscompiles a loop of equal length for all work-items in a loop whose length differs.
   Called by all; begins and ends with a barrier. */
INLINE code_t choose_pivot(quick_t q, quick_space_t l, array_t from, range_t r)
{
    const uint t = local_id(), samples = count_samples(q, r);
    const code_t own = t < samples ? take_sample(q, from, r, samples, t) : middle_code(r);
    uint rank = 0;
    local_barrier();
    l.codes[t] = own;
    local_barrier();
    for (uint k = 0; k < samples; k++)
        rank += l.codes[k] < own || (l.codes[k] == own && k < t);
    if (samples ? t < samples && rank == samples / 2 : t == 0)
        l.codes[CLSORT_GROUP] = own;
    local_barrier();
    return l.codes[CLSORT_GROUP];
}

//---- quicksort: a tile [QUICKSORT.group RELAUNCH.group]
/* Compares the work-item's share of `size` elements with the pivot. Of each tile, it loads all its
   keys before it compares the first one. */
INLINE partition_t count_partition(array_t from, codec_t c, uint begin, uint size,
                                   code_t pivot)
{
    partition_t p = no_partition();
    for (uint base = local_id(); base < size; base += CLSORT_TILE_ITEMS) {
        code_t key[CLSORT_ITEMS];
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            if (base + m * CLSORT_GROUP < size)
                key[m] = *key_place(from, begin + base + m * CLSORT_GROUP);
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++)
            if (base + m * CLSORT_GROUP < size)
                add_code(&p, encode(key[m], c), pivot);
    }
    return p;
}

/* Elements that a work-item moves at a time. If they are few, more work-groups run at once, and
   their waits for memory overlap. 8 was the fastest of 4, 8 and 16 on an H200. */
#define CLSORT_MOVED_ITEMS (CLSORT_ITEMS < 8 ? CLSORT_ITEMS : 8)
#define CLSORT_MOVED_TILE (CLSORT_GROUP * CLSORT_MOVED_ITEMS)

/* The place in the tile of a work-item's m-th element. If elements must keep their order, a
   work-item has consecutive elements. Else it has every CLSORT_GROUP-th element, as they are
   loaded. */
INLINE uint quick_tile_item(uint m)
{
    return CLSORT_BREAK_TIES_BY_INDEX ? local_id() * CLSORT_MOVED_ITEMS + m
                                      : m * CLSORT_GROUP + local_id();
}

/* How many of a tile's `size` elements belong to earlier work-items. */
INLINE uint items_before(uint size)
{
    const uint t = local_id();
    return CLSORT_BREAK_TIES_BY_INDEX ? min(t * CLSORT_MOVED_ITEMS, size)
                       : t * (size / CLSORT_GROUP) + min(t, size % CLSORT_GROUP);
}

/* Loads the work-item's elements of a tile. With CLSORT_BREAK_TIES_BY_INDEX they go through local
   memory, which keeps their order. Called by all with the tile free; it is free again after the
   call. */
INLINE void load_moved_items(quick_space_t l, item_t *v, array_t from, codec_t c, uint begin,
                             uint size)
{
    const uint t = local_id();
    #pragma unroll
    for (uint m = 0; m < CLSORT_MOVED_ITEMS; m++)
        v[m] = m * CLSORT_GROUP + t < size ? load_whole_item(from, c, begin + m * CLSORT_GROUP + t)
                                           : top_item();
    if (!CLSORT_BREAK_TIES_BY_INDEX)
        return;
    #pragma unroll
    for (uint m = 0; m < CLSORT_MOVED_ITEMS; m++)
        put_item(l.keys, l.words, m * CLSORT_GROUP + t, v[m]);
    local_barrier();
    #pragma unroll
    for (uint m = 0; m < CLSORT_MOVED_ITEMS; m++)
        v[m] = get_item(l.keys, l.words, quick_tile_item(m));
    local_barrier();
}

//---- quicksort: a tile moves [QUICKSORT.group RELAUNCH.group]
/* Puts a tile's elements into local memory: first the elements before the pivot, then the equal
   ones, then the rest. Returns how many come before the pivot and, in the upper half, how many are
   equal to it. Called by all with the tile free; ends with a barrier. */
INLINE uint order_parts(quick_space_t l, const item_t *v, uint size, code_t pivot)
{
    uint own = 0, total;
    #pragma unroll
    for (uint m = 0; m < CLSORT_MOVED_ITEMS; m++)
        own += quick_tile_item(m) < size ? (v[m].key < pivot) + ((v[m].key == pivot) << 16) : 0;
    const uint before = scan_total(own, &total, l);
    uint less = before & 0xFFFF, equal = (total & 0xFFFF) + (before >> 16);
    uint greater = (total & 0xFFFF) + (total >> 16) + items_before(size) - less - (before >> 16);
    #pragma unroll
    for (uint m = 0; m < CLSORT_MOVED_ITEMS; m++) {
        const uint is_less = v[m].key < pivot, is_equal = v[m].key == pivot;
        if (quick_tile_item(m) < size)
            put_item(l.keys, l.words, is_less ? less : is_equal ? equal : greater, v[m]);
        less += is_less;
        equal += is_equal;
        greater += !is_less && !is_equal;
    }
    local_barrier();
    return total;
}

/* Moves the elements of a range to their places. next: where to move the first element before the
   pivot, the first one equal to it, the first one after it. Called by all. If there are elements,
   it begins and ends with a barrier. */
INLINE void scatter_range(quick_t q, quick_space_t l, uint which, uint begin, uint size,
                          code_t pivot, places_t next)
{
    const array_t from = quick_array(q, which), unequal_to = quick_array(q, unequal_array(which)),
                  equal_to = quick_array(q, equal_array(which));
    for (uint done = 0; done < size; done += CLSORT_MOVED_TILE) {
        const uint count = min(size - done, (uint)CLSORT_MOVED_TILE);
        item_t v[CLSORT_MOVED_ITEMS];
        load_moved_items(l, v, from, q.codec, begin + done, count);
        const uint parts = order_parts(l, v, count, pivot), less = parts & 0xFFFF,
                   equal = parts >> 16;
        #pragma unroll
        for (uint m = 0; m < CLSORT_MOVED_ITEMS; m++) {
            const uint i = m * CLSORT_GROUP + local_id(), is_equal = i >= less && i - less < equal;
            const array_t to = { is_equal ? equal_to.keys : unequal_to.keys,
                                 is_equal ? equal_to.values : unequal_to.values };
            const uint place = i < less   ? next.less + i
                               : is_equal ? next.equal + (i - less)
                                          : next.greater + (i - less - equal);
            if (i < count)
                store_whole_item(to, q.codec, place, get_item(l.keys, l.words, i));
        }
        next.less += less;
        next.equal += equal;
        next.greater += count - less - equal;
        local_barrier();
    }
}

//---- quicksort: a work-item [QUICKSORT.alone QUICKSORT.vectors RELAUNCH.alone RELAUNCH.vectors]
/* A work-group is one work-item here, so loops need no barriers. */
typedef struct {
    local code_t *keys;
    local uint *words, *stack;
} quick_space_t;

INLINE quick_space_t quick_space(local ulong *space)
{
    const quick_space_t l = { (local code_t *)space, (local uint *)space, (local uint *)space };
    return l;
}

#define quick_sync(fence)
#undef CLSORT_BRANCH_BARRIERS
#define CLSORT_BRANCH_BARRIERS 1
#define join_group(part, l) (part)

INLINE uint scan_total(uint x, uint *total, quick_space_t l)
{
    *total = x;
    return 0;
}

INLINE code_t choose_pivot(quick_t q, quick_space_t l, array_t from, range_t r)
{
    const uint samples = count_samples(q, r);
    code_t code[CLSORT_MOST_SAMPLES], pivot = middle_code(r);
    for (uint i = 0; i < samples; i++)
        code[i] = take_sample(q, from, r, samples, i);
    for (uint i = 0; i < samples; i++) {
        uint rank = 0;
        for (uint k = 0; k < samples; k++)
            rank += code[k] < code[i] || (code[k] == code[i] && k < i);
        pivot = rank == samples / 2 ? code[i] : pivot;
    }
    return pivot;
}

//---- quicksort: counting by a work-item [QUICKSORT.alone QUICKSORT.vectors RELAUNCH.alone
//----     RELAUNCH.vectors]
#if CLSORT_LANES > 1 && !CLSORT_RECORDS
/* Joins the partition_t of all lanes. */
CLSORT_NOINLINE partition_t join_lanes(codes_t least, codes_t below, codes_t above, codes_t most,
                                       words_t less, words_t equal)
{
    code_t codes[4 * CLSORT_LANES];
    uint counts[2 * CLSORT_LANES];
    partition_t p = no_partition();
    vstore16(least, 0, codes);
    vstore16(below, 1, codes);
    vstore16(above, 2, codes);
    vstore16(most, 3, codes);
    vstore16(less, 0, counts);
    vstore16(equal, 1, counts);
    for (uint l = 0; l < CLSORT_LANES; l++) {
        const partition_t lane = { counts[l],
                                   counts[CLSORT_LANES + l],
                                   codes[l],
                                   codes[CLSORT_LANES + l],
                                   codes[2 * CLSORT_LANES + l],
                                   codes[3 * CLSORT_LANES + l] };
        p = join_partitions(p, lane);
    }
    return p;
}

/* Compares as many of `size` elements as fill whole vectors with the pivot. *done: how many these
   are. */
INLINE partition_t count_vectors(array_t from, codec_t c, uint begin, uint size,
                                 code_t pivot, uint *done)
{
    const codes_t middle = (codes_t)pivot, all = (codes_t)CLSORT_TOP_CODE;
    codes_t least = all, below = 0, above = all, most = 0;
    words_t less = 0, equal = 0;
    for (*done = 0; size - *done >= CLSORT_LANES; *done += CLSORT_LANES) {
        const codes_t code = encode(vload16(0, key_place(from, begin + *done)), c);
        less += CLSORT_WORD_FLAG(code < middle) != 0 ? (words_t)1 : (words_t)0;
        equal += CLSORT_WORD_FLAG(code == middle) != 0 ? (words_t)1 : (words_t)0;
        least = min(least, code);
        most = max(most, code);
        below = code < middle ? max(below, code) : below;
        above = code > middle ? min(above, code) : above;
    }
    return join_lanes(least, below, above, most, less, equal);
}
#endif   /* CLSORT_LANES > 1 && !CLSORT_RECORDS */

INLINE partition_t count_partition(array_t from, codec_t c, uint begin, uint size,
                                   code_t pivot)
{
    uint done = 0;
#if CLSORT_LANES > 1 && !CLSORT_RECORDS
    partition_t p = count_vectors(from, c, begin, size, pivot, &done);
#else
    partition_t p = no_partition();
#endif
    for (uint i = done; i < size; i++)
        add_code(&p, code_at(from, begin + i, c), pivot);
    return p;
}

/* Does what scatter_range of a work-group does. The branch for keys equal to the pivot is predicted
   well, since such keys are either rare or the most. Whether another key comes before or after the
   pivot cannot be predicted, so that needs no branch here. */
INLINE void scatter_range(quick_t q, quick_space_t l, uint which, uint begin, uint size,
                          code_t pivot, places_t next)
{
    const array_t from = quick_array(q, which), unequal_to = quick_array(q, unequal_array(which)),
                  equal_to = quick_array(q, equal_array(which));
    for (uint i = begin; i < begin + size; i++) {
        const code_t code = code_at(from, i, q.codec);
        const uint less = code < pivot;
        if (code == pivot) {
            move_element(from, i, equal_to, next.equal++);
            continue;
        }
        move_element(from, i, unequal_to, less ? next.less : next.greater);
        next.less += less;
        next.greater += !less;
    }
}

//---- quicksort: begin and count [QUICKSORT RELAUNCH]
/* Makes the first sequence, or the only leaf. Called by one work-item. */
INLINE void quick_begin(quick_t q)
{
    const uint8 all = pack_range(make_range(0, q.n, round_array(q, 0), CLSORT_TOP_CODE, 0));
    const uint leaf = q.n > 0 && q.n <= q.leaf_elements, sequence = q.n > q.leaf_elements;
    for (uint k = 0; k < CLSORT__QUICK_STATE_WORDS; k++)
        q.scratch[k] = 0;
    q.scratch[CLSORT__QUICK_LEAVES] = leaf;
    quick_state(q, 0)[CLSORT__QUICK_SEQUENCES] = sequence;
    quick_state(q, 0)[CLSORT__QUICK_BLOCKS] = sequence ? (q.n - 1) / q.block_elements + 1 : 0;
    if (leaf)
        vstore8(all, 0, leaf_at(q, 0));
    if (sequence)
        vstore8(all, 0, sequence_at(q, 0, 0));
}

/* Where block b begins, counted from the start of its sequence r. */
INLINE uint block_begin(quick_t q, range_t r, uint b)
{
    return (b - r.first) * q.block_elements;
}

INLINE uint block_count(quick_t q, range_t r, uint b)
{
    return min(r.size - block_begin(q, r, b), q.block_elements);
}

/* For each block: finds the pivot of its sequence, compares the block's elements with it, and
   stores the block's partition_t. The first block of a sequence also stores the pivot. */
INLINE void quick_count(quick_t q, quick_space_t l)
{
    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS];
    const array_t from = quick_array(q, round_array(q, q.round));
    for (uint b = (uint)get_group_id(0); b < blocks; b += (uint)get_num_groups(0)) {
        global uint *sequence = sequence_at(q, q.round, find_sequence(q, b));
        const range_t r = unpack_range(vload8(0, sequence));
        const code_t pivot = choose_pivot(q, l, from, r);
        const partition_t own = count_partition(from, q.codec, r.begin + block_begin(q, r, b),
                                                block_count(q, r, b), pivot),
                          part = join_group(own, l);
        if (local_id() == 0) {
            vstore2((uint2)(part.less, part.equal), 0, block_at(q, b));
            vstore8(pack_bounds(part), 0, block_at(q, b) + 2);
            if (b == r.first)
                vstore2(as_uint2((ulong)pivot), 0, sequence + 14);
        }
    }
}

//---- quicksort: sums [QUICKSORT RELAUNCH]
/* The plan's work-group shares out `count` blocks or sequences: how many each work-item gets. */
INLINE uint plan_share(uint count)
{
    return (count + CLSORT_GROUP - 1) / CLSORT_GROUP;
}

/* Replaces the counts of each block by their sums over all blocks before it. The sums over all
   blocks go to the place of one more block. Called by all; needs a barrier after. */
INLINE void sum_blocks(quick_t q, quick_space_t l, uint blocks)
{
    const uint share = plan_share(blocks), first = min(local_id() * share, blocks),
               end = min(first + share, blocks);
    uint2 sum = 0, total;
    for (uint b = first; b < end; b++)
        sum += vload2(0, block_at(q, b));
    uint all_less, all_equal;
    sum.x = scan_total(sum.x, &all_less, l);
    sum.y = scan_total(sum.y, &all_equal, l);
    for (uint b = first; b < end; b++) {
        const uint2 count = vload2(0, block_at(q, b));
        vstore2(sum, 0, block_at(q, b));
        sum += count;
    }
    if (local_id() == 0)
        vstore2((uint2)(all_less, all_equal), 0, block_at(q, blocks));
}

/* Stores the bounds of a sequence's codes, and its codes next to the pivot. */
INLINE void store_bounds(quick_t q, uint i, partition_t p)
{
    global uint *sequence = sequence_at(q, q.round, i);
    vstore4(as_uint4((ulong2)(p.least, p.most)), 0, sequence + 4);
    vstore4(as_uint4((ulong2)(p.below, p.above)), 0, sequence + 10);
}

/* Joins the bounds of the blocks of each sequence, and stores them for the sequence. Each work-item
   joins the blocks of its share. If a sequence begins in the share of an earlier work-item, the
   work-item in whose share it ends adds the bounds from the earlier shares. Called by all; begins
   with a barrier and needs one after. */
INLINE void join_bounds(quick_t q, quick_space_t l, uint blocks)
{
    const uint t = local_id(), share = plan_share(blocks), first = min(t * share, blocks),
               end = min(first + share, blocks);
    uint now = first < end ? find_sequence(q, first) : 0, open = now, ends = 0;
    partition_t p = no_partition(), head = no_partition();
    for (uint b = first; b < end; b++) {
        p = join_partitions(p, unpack_partition(0, 0, vload8(0, block_at(q, b) + 2)));
        if (b + 1 == first_block(q, now + 1)) {
            if (first_block(q, now) < first) {
                head = p;
                ends = 1;
            } else
                store_bounds(q, now, p);
            p = no_partition();
            now++;
        }
    }
#if CLSORT_SHARE_LOG2 > 0
    local_barrier();
    put_partition(l, t, p);
    local_barrier();
    for (uint k = t; ends && k * share > first_block(q, open);)
        head = join_partitions(head, get_partition(l, --k));
    if (ends)
        store_bounds(q, open, head);
#endif
}

//---- quicksort: children [QUICKSORT RELAUNCH]
/* A child is done, or becomes a leaf, a sequence of the next round, or a leftover. */
enum { CHILD_DONE, CHILD_LEAF, CHILD_NEXT, CHILD_LEFT };

/* How many children have each fate; blocks: the blocks of all children with CHILD_NEXT. */
typedef struct { uint leaves, nexts, blocks, left; } tally_t;

INLINE uint child_fate(quick_t q, range_t r, uint retire)
{
    if (retire)
        return r.size ? CHILD_LEFT : CHILD_DONE;
    if (r.size == 0 || (r.least == r.most && r.array == ARRAY_TARGET))
        return CHILD_DONE;
    return r.size <= q.leaf_elements  ? CHILD_LEAF
           : q.round + 1 < q.rounds ? CHILD_NEXT
                                    : CHILD_LEFT;
}

/* Child k of a sequence: its elements before the pivot (0), equal to it (1), after it (2). If
   sequences retire, child 0 is the whole sequence, and the others are empty. A sequence of equal
   codes has no child: its elements stay in the target or move there. */
INLINE range_t child_of(quick_t q, uint i, uint k, uint retire)
{
    global const uint *sequence = sequence_at(q, q.round, i);
    const range_t r = unpack_range(vload8(0, sequence));
    const uint2 before = vload2(0, block_at(q, r.first)),
                after = vload2(0, block_at(q, first_block(q, i + 1))), count = after - before;
    const ulong2 beside = as_ulong2(vload4(0, sequence + 10));
    const code_t pivot = (code_t)as_ulong(vload2(0, sequence + 14));
    if (retire)
        return make_range(r.begin, k ? 0 : r.size, r.array, r.least, r.most);
    if (k == 0)
        return make_range(r.begin, count.x, unequal_array(r.array), r.least, (code_t)beside.x);
    if (k == 1)
        return make_range(r.begin + count.x, r.least == r.most ? 0 : count.y, equal_array(r.array),
                          pivot, pivot);
    return make_range(r.begin + count.x + count.y, r.size - count.x - count.y,
                      unequal_array(r.array), (code_t)beside.y, r.most);
}

INLINE uint blocks_of(quick_t q, range_t r)
{
    return (r.size - 1) / q.block_elements + 1;
}

/* Counts the fates of the children of sequences first ... end - 1. It uses branches because LLVM 18
   in PoCL 6.0 aborts at sums of conditional expressions. */
INLINE tally_t tally_children(quick_t q, uint first, uint end, uint retire)
{
    tally_t tally = { 0, 0, 0, 0 };
    for (uint i = 3 * first; i < 3 * end; i++) {
        const range_t r = child_of(q, i / 3, i % 3, retire);
        const uint fate = child_fate(q, r, retire);
        if (fate == CHILD_LEAF)
            tally.leaves++;
        else if (fate == CHILD_LEFT)
            tally.left++;
        else if (fate == CHILD_NEXT) {
            tally.nexts++;
            tally.blocks += blocks_of(q, r);
        }
    }
    return tally;
}

/* Writes the children of sequences first ... end - 1 to the lists. next: the first free place of
   each list. */
INLINE void write_children(quick_t q, uint first, uint end, uint retire, tally_t next)
{
    for (uint i = 3 * first; i < 3 * end; i++) {
        range_t r = child_of(q, i / 3, i % 3, retire);
        const uint fate = child_fate(q, r, retire);
        r.first = next.blocks;
        if (fate == CHILD_LEAF)
            vstore8(pack_range(r), 0, leaf_at(q, next.leaves++));
        else if (fate == CHILD_LEFT)
            vstore8(pack_range(r), 0, leftover_at(q, next.left++));
        else if (fate == CHILD_NEXT) {
            vstore8(pack_range(r), 0, sequence_at(q, q.round + 1, next.nexts++));
            next.blocks += blocks_of(q, r);
        }
    }
}

//---- quicksort: plan [QUICKSORT RELAUNCH]
/* Makes the children of all sequences. If the list of leaves might overflow, all sequences retire:
   they become leftovers as they are, and do not move. Called by all. */
INLINE void make_children(quick_t q, quick_space_t l)
{
    global uint *state = quick_state(q, q.round), *next = quick_state(q, q.round + 1);
    const uint count = state[CLSORT__QUICK_SEQUENCES], share = plan_share(count),
               first = min(local_id() * share, count), end = min(first + share, count);
    const uint leaves = q.scratch[CLSORT__QUICK_LEAVES], left = q.scratch[CLSORT__QUICK_LEFT],
               retire = leaves + 3 * count > CLSORT__QUICK_MOST_LEAVES(q.capacity);
    const tally_t own = tally_children(q, first, end, retire);
    tally_t places, all;
    places.leaves = leaves + scan_total(own.leaves, &all.leaves, l);
    places.nexts = scan_total(own.nexts, &all.nexts, l);
    places.blocks = scan_total(own.blocks, &all.blocks, l);
    places.left = left + scan_total(own.left, &all.left, l);
    write_children(q, first, end, retire, places);
    quick_sync(CLK_GLOBAL_MEM_FENCE);
    if (local_id() == 0) {
        next[CLSORT__QUICK_SEQUENCES] = all.nexts;
        next[CLSORT__QUICK_BLOCKS] = all.blocks;
        q.scratch[CLSORT__QUICK_LEAVES] = leaves + all.leaves;
        q.scratch[CLSORT__QUICK_LEFT] = left + all.left;
        q.scratch[CLSORT__QUICK_ROUNDS] += count > 0;
        if (retire)
            state[CLSORT__QUICK_BLOCKS] = 0;
    }
}

/* Called by one work-group, between quick_count and quick_scatter. */
INLINE void quick_plan(quick_t q, quick_space_t l)
{
    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS];
    sum_blocks(q, l, blocks);
    join_bounds(q, l, blocks);
    quick_sync(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    make_children(q, l);
}

//---- quicksort: scatter [QUICKSORT RELAUNCH]
/* Moves the elements of each block to their places. If all codes of a sequence are equal and it
   lies in the target, it does not move. */
INLINE void quick_scatter(quick_t q, quick_space_t l)
{
    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS],
               which = round_array(q, q.round);
    for (uint b = (uint)get_group_id(0); b < blocks; b += (uint)get_num_groups(0)) {
        const uint i = find_sequence(q, b);
        global const uint *sequence = sequence_at(q, q.round, i);
        const range_t r = unpack_range(vload8(0, sequence));
        const uint2 first = vload2(0, block_at(q, r.first)),
                    before = vload2(0, block_at(q, b)) - first;
        const uint2 all = vload2(0, block_at(q, first_block(q, i + 1))) - first;
        const code_t pivot = (code_t)as_ulong(vload2(0, sequence + 14));
        const uint begin = block_begin(q, r, b), stays = r.least == r.most && which == ARRAY_TARGET;
        const places_t next = { r.begin + before.x, r.begin + all.x + before.y,
                                r.begin + all.x + all.y + (begin - before.x - before.y) };
        scatter_range(q, l, which, r.begin + begin, stays ? 0 : block_count(q, r, b), pivot, next);
    }
}

//---- quicksort: a leaf's tile [QUICKSORT RELAUNCH]
/* Loads the elements begin ... end - 1 into the home window; store_leaf stores them. Nearly all
   tiles of leaves are partial, so partial and whole tiles share one loop. */
INLINE void load_leaf(item_t *v, window_t home, array_t from, codec_t c, uint begin,
                      uint end)
{
#if CLSORT_LANES == 1
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        v[m] = load_item(from, c, begin + window_item(home, m), end);
#else
    load_window(v, home, CLSORT_ITEMS_LOG2, from, c, begin, end);
#endif
}

INLINE void store_leaf(const item_t *v, window_t home, array_t to, codec_t c, uint begin,
                       uint end)
{
#if CLSORT_LANES == 1
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        store_item(to, c, begin + window_item(home, m), end, v[m]);
#else
    store_window(v, home, CLSORT_ITEMS_LOG2, to, c, begin, end);
#endif
}

/* Sorts up to a tile of elements into the target by the bitonic network. With size 0 it sorts
   nothing, but meets all barriers. Called by all with the tile free. */
INLINE void sort_leaf_tile(quick_t q, quick_space_t l, array_t from, uint begin, uint size)
{
    const uint end = size ? begin + size : 0, stages = ceil_log2(size);
    const window_t home = tile_window(local_id(), CLSORT_HOME_BIT, 0, 0);
    window_t now = home;
    item_t v[CLSORT_ITEMS];
    load_leaf(v, home, from, q.codec, begin, end);
    for (uint stage = 0; stage < CLSORT_LANES_LOG2; stage++)
        lane_steps(v, CLSORT_ITEMS, stage);
    for (uint stage = CLSORT_LANES_LOG2; stage < stages; stage++) {
        now = tile_stage(v, l.keys, l.words, local_id(), now, stage - CLSORT_LANES_LOG2);
        lane_steps(v, CLSORT_ITEMS, stage);
    }
    move_window(v, l.keys, l.words, now, home);
    store_leaf(v, home, q.target, q.codec, begin, end);
}

/* Copies elements to the target. */
INLINE void copy_to_target(quick_t q, uint which, uint begin, uint size)
{
    const array_t from = quick_array(q, which);
    for (uint i = local_id(); i < size; i += CLSORT_GROUP)
        move_element(from, begin + i, q.target, begin + i);
}

//---- quicksort: a leaf [QUICKSORT RELAUNCH]
/* The stack of a leaf, in words: STACK_TOP, how many ranges it has; STACK_BUDGET, how many elements
   the leaf may still partition; the ranges. The longer part of a range is pushed first, so the
   shorter part is taken next. So the stack never has more ranges than log2 of the leaf's
   elements. */
enum { STACK_TOP, STACK_BUDGET };

/* The least size of a leftover of a leaf: the list of leftovers has limited room. */
#define CLSORT_LEAST_LEFTOVER 64

/* Appends a leftover to the list. Returns 0 if the list is full. */
INLINE uint leave_range(quick_t q, range_t r)
{
    const uint place = atomic_inc((volatile global uint *)&q.scratch[CLSORT__QUICK_LEFT]),
               fits = place < CLSORT__QUICK_MOST_LEFTOVERS(q.capacity);
    if (fits)
        vstore8(pack_range(r), 0, leftover_at(q, place));
    return fits;
}

/* Puts a range on the stack. But if the budget is spent, a long range becomes a leftover, if the
   list of leftovers has room; and a range that is sorted already, in the target, is dropped. Called
   by one work-item. */
INLINE void push_range(quick_t q, quick_space_t l, range_t r, uint spent)
{
    if (r.size == 0 || (r.least == r.most && r.array == ARRAY_TARGET))
        return;
    if (spent && r.size > max(CLSORT_QUICK_TILE, CLSORT_LEAST_LEFTOVER) && leave_range(q, r))
        return;
    vstore8(pack_range(r), l.stack[STACK_TOP]++, l.stack + CLSORT__STACK_HEAD);
}

/* Partitions a range of a leaf, and pushes its parts. size: r.size; with 0 it partitions nothing,
   but meets all barriers. Called by all. */
INLINE void partition_leaf(quick_t q, quick_space_t l, range_t r, uint size)
{
    const array_t from = quick_array(q, r.array);
    const range_t parted = make_range(r.begin, size, r.array, r.least, r.most);
    const code_t pivot = choose_pivot(q, l, from, parted);
    const partition_t part = join_group(count_partition(from, q.codec, r.begin, size, pivot), l);
    const uint greater = r.begin + part.less + part.equal;
    const places_t next = { r.begin, r.begin + part.less, greater };
    scatter_range(q, l, r.array, r.begin, size, pivot, next);
    quick_sync(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    copy_to_target(q, ARRAY_ALT, next.equal, r.array == ARRAY_TARGET ? part.equal : 0);
    if (local_id() == 0 && size != 0) {
        const range_t low = make_range(r.begin, part.less, unequal_array(r.array), part.least,
                                       part.below);
        const range_t high = make_range(greater, size - part.less - part.equal, low.array,
                                        part.above, part.most);
        const uint budget = l.stack[STACK_BUDGET], spent = budget < size;
        l.stack[STACK_BUDGET] = spent ? 0 : budget - size;
        push_range(q, l, low.size > high.size ? low : high, spent);
        push_range(q, l, low.size > high.size ? high : low, spent);
    }
}

//---- quicksort: a leaf's steps [QUICKSORT RELAUNCH]
/* Takes the top range from the stack, and partitions or finishes it. Returns how many ranges are
   left. Called by all after the stack is written and a barrier; ends with a barrier. */
INLINE uint leaf_step(quick_t q, quick_space_t l)
{
    const uint top = l.stack[STACK_TOP] - 1;
    const range_t r = unpack_range(vload8(top, l.stack + CLSORT__STACK_HEAD));
    const uint same = r.least == r.most, large = !same && r.size > CLSORT_QUICK_TILE;
    quick_sync(CLK_LOCAL_MEM_FENCE);
    if (local_id() == 0)
        l.stack[STACK_TOP] = top;
    if (!CLSORT_BRANCH_BARRIERS || large)
        partition_leaf(q, l, r, large ? r.size : 0);
    if (!CLSORT_BRANCH_BARRIERS || !large)
        sort_leaf_tile(q, l, quick_array(q, r.array), r.begin, large || same ? 0 : r.size);
    copy_to_target(q, r.array, r.begin, same && r.array != ARRAY_TARGET ? r.size : 0);
    quick_sync(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return l.stack[STACK_TOP];
}

/* Sorts the leaves. The budget lets a leaf partition all its elements 2 log2(size / tile) + 4
   times. Then its long ranges become leftovers, so bad pivots cost no quadratic time. */
INLINE void quick_leaf(quick_t q, quick_space_t l)
{
    const uint leaves = q.scratch[CLSORT__QUICK_LEAVES];
    for (uint i = (uint)get_group_id(0); i < leaves; i += (uint)get_num_groups(0)) {
        const range_t r = unpack_range(vload8(0, leaf_at(q, i)));
        if (local_id() == 0) {
            l.stack[STACK_TOP] = 1;
            l.stack[STACK_BUDGET] = r.size
                                    * (2 * ceil_log2(r.size / CLSORT_QUICK_TILE + 1) + 4);
            vstore8(pack_range(r), 0, l.stack + CLSORT__STACK_HEAD);
        }
        quick_sync(CLK_LOCAL_MEM_FENCE);
        for (uint left = 1; left > 0;)
            left = leaf_step(q, l);
        quick_sync(CLK_LOCAL_MEM_FENCE);
    }
}

//---- quicksort: kernels [QUICKSORT]
/* The kernels count, scatter and leaf have as many work-groups as run at the same time; begin and
   plan have one. space: local memory of clsort__quick_local bytes, see clsort.h. */
CLSORT_KERNEL void clsort_quick_begin(CLSORT_QUICK_ARGS)
{
    const quick_t q = CLSORT_QUICK_JOB;
    if (get_global_id(0) == 0)
        quick_begin(q);
}

#define CLSORT_QUICK_STEP(step) \
    { \
        const quick_t q = CLSORT_QUICK_JOB; \
        step(q, quick_space(space)); \
    }
CLSORT_KERNEL void clsort_quick_count(CLSORT_QUICK_ARGS, local ulong *space)
    CLSORT_QUICK_STEP(quick_count)
CLSORT_KERNEL void clsort_quick_plan(CLSORT_QUICK_ARGS, local ulong *space)
    CLSORT_QUICK_STEP(quick_plan)
CLSORT_KERNEL void clsort_quick_scatter(CLSORT_QUICK_ARGS, local ulong *space)
    CLSORT_QUICK_STEP(quick_scatter)
CLSORT_KERNEL void clsort_quick_leaf(CLSORT_QUICK_ARGS, local ulong *space)
    CLSORT_QUICK_STEP(quick_leaf)

//---- quicksort: relauncher [RELAUNCH]
/* Enqueues the three kernels of this round and, behind them, itself for the next round. If no block
   is left, enqueues the kernel of the leaves instead. Called by one work-item. */
static void relaunch(quick_t q, uint local_bytes)
{
    const queue_t queue = get_default_queue();
    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS],
               works = blocks > 0 && q.round < q.rounds;
    const uint wanted = works ? blocks : max(q.scratch[CLSORT__QUICK_LEAVES], 1u);
    const ndrange_t many = ndrange_1D((size_t)wanted * CLSORT_GROUP, CLSORT_GROUP),
                    one = ndrange_1D(CLSORT_GROUP, CLSORT_GROUP);
    clk_event_t first, second, third;
    if (!works) {
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, many,
                       ^(local void *s) { quick_leaf(q, quick_space(s)); }, local_bytes);
    } else {
        quick_t next = q;
        next.round++;
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, many, 0, NULL, &first,
                       ^(local void *s) { quick_count(q, quick_space(s)); }, local_bytes);
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &second,
                       ^(local void *s) { quick_plan(q, quick_space(s)); }, local_bytes);
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, many, 1, &second, &third,
                       ^(local void *s) { quick_scatter(q, quick_space(s)); }, local_bytes);
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1, 1), 1, &third, NULL,
                       ^{ relaunch(next, local_bytes); });
        release_event(first);
        release_event(second);
        release_event(third);
    }
}

/* The only kernel that the host launches: makes the first sequence, and starts the rounds. One
   work-group, of which one work-item works. */
CLSORT_KERNEL void clsort_quick_relauncher(CLSORT_QUICK_ARGS, uint local_bytes)
{
    const quick_t q = CLSORT_QUICK_JOB;
    if (get_global_id(0) != 0)
        return;
    quick_begin(q);
    relaunch(q, local_bytes);
}

//---- gather [UTILITY]
/* CLSORT_EACH: records of a work-item that makes codes. A gather asks for elements that far ahead.
   CLSORT_ASK_FOR: begins to load what is read soon. A CPU waits for few loads at a time. */
#define CLSORT_EACH (CLSORT_AHEAD ? CLSORT_AHEAD : 1)
#if !CLSORT_AHEAD
#define CLSORT_ASK_FOR(place)
#elif defined(__x86_64__) || defined(__aarch64__)   /* PoCL, whose prefetch does nothing */
#define CLSORT_ASK_FOR(place) __builtin_prefetch((const void *)(size_t)(place))
#else                                               /* Oclgrind has no such builtin function */
#define CLSORT_ASK_FOR(place) prefetch((global const uchar *)(place), 1)
#endif

/* a / b. If 32 bits hold both numbers, 32-bit division takes a fraction of the time. */
INLINE ulong divide(ulong a, ulong b)
{
    return (a | b) >> 32 ? a / b : (uint)a / (uint)b;
}

/* target[i] = source[indices[i]] in rows of `count` elements, n elements in all. An element has
   `units` units of each * bytes bytes; a work-item moves one unit, `bytes` bytes at a time.
   Strides are bytes from a row to the next one. An index of source_count or above leaves its
   element as it was. `way`: CLSORT__GATHER_*. */
CLSORT_KERNEL void clsort_gather(global const uchar *source, ulong source_at,
                                 global uchar *target, ulong target_at,
                                 global const uchar *indices, ulong indices_at,
                                 ulong n, uint count, uint source_count, ulong source_stride,
                                 ulong target_stride, ulong index_stride, uint bytes, ulong each,
                                 ulong units,
                                 global const uchar *starts, ulong starts_at, uint way
                                 CLSORT_COUNT_ARGS)
{
    const ulong id = get_global_id(0), element = units == 1 ? id : divide(id, units);
    if (element >= n)
        return;
    const ulong row = n > count ? divide(element, count) : 0;
    const ulong i = element - row * count, unit = id - element * units;
    if (i >= CLSORT_COUNT(count))
        return;
    global const uint *const index = (global const uint *)(indices + indices_at
                                                           + row * index_stride);
    const uint from = way == CLSORT__GATHER_COPIES ? (uint)i : index[i];
    if (from >= source_count)
        return;
    const ulong first = way == CLSORT__GATHER_FROM_STARTS
                            ? ((global const uint *)(starts + starts_at))[row]
                            : 0;
    source += source_at + row * source_stride;
    if (CLSORT_AHEAD && way != CLSORT__GATHER_COPIES && i + CLSORT_AHEAD < count)
        CLSORT_ASK_FOR(source + (first + index[i + CLSORT_AHEAD]) * units * each * bytes);
    source += ((first + from) * units + unit) * each * bytes;
    target += target_at + row * target_stride + (i * units + unit) * each * bytes;
    for (ulong k = 0; k < each; k++)
        store_bits(target + k * bytes, bytes, load_bits(source + k * bytes, bytes));
}

/* Copies the first `count` elements of each row, of keys if has_keys is set and of indices if
   has_indices is. A work-item copies `piece` elements, of n such pieces in all. Strides are bytes
   from a row to the next. */
CLSORT_KERNEL void clsort_copy_rows(global const uchar *keys, ulong keys_at,
                                    global uchar *keys_to, ulong keys_to_at,
                                    global const uchar *indices, ulong indices_at,
                                    global uchar *indices_to, ulong indices_to_at, uint n,
                                    uint count, uint piece, uint bytes, ulong keys_stride,
                                    ulong keys_to_stride, ulong indices_stride,
                                    ulong indices_to_stride, uint has_keys, uint has_indices)
{
    const uint id = (uint)get_global_id(0), pieces = (count - 1) / piece + 1;
    if (id >= n)
        return;
    const uint row = id / pieces, first = (id - row * pieces) * piece,
               end = min(first + piece, count);
    keys += keys_at + row * keys_stride;
    keys_to += keys_to_at + row * keys_to_stride;
    indices += indices_at + row * indices_stride;
    indices_to += indices_to_at + row * indices_to_stride;
    for (uint i = first; i < (has_indices ? end : 0); i++)
        ((global uint *)indices_to)[i] = ((global const uint *)indices)[i];
    for (uint i = first; i < (has_keys && bytes == 4 ? end : 0); i++)
        ((global uint *)keys_to)[i] = ((global const uint *)keys)[i];
    for (uint i = first; i < (has_keys && bytes != 4 ? end : 0); i++)
        store_bits(keys_to + (ulong)i * bytes, bytes, load_bits(keys + (ulong)i * bytes, bytes));
}

//---- groups [UTILITY]
/* The number of keys below `group` among the first n. The keys ascend, and at least `first` of them
   are below. */
INLINE uint keys_below(global const uchar *keys, uint bytes, uint first, uint n, ulong group)
{
    uint low = first, high = n;
    while (low < high) {
        const uint middle = low + ((high - low) >> 1);
        if (load_bits(keys + (ulong)middle * bytes, bytes) < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Writes where each group begins among n ascending keys, starts[0 .. groups], and how many keys it
   has, counts[0 .. groups - 1]. With has_most, n is lowered to *most. A work-item searches for one
   group, so it does not matter how keys are spread. */
CLSORT_KERNEL void clsort_group_starts(global const uchar *keys, ulong keys_at,
                                       global uchar *starts, ulong starts_at,
                                       global uchar *counts, ulong counts_at,
                                       global const uchar *most, ulong most_at, uint n,
                                       uint groups, uint bytes, uint has_most, uint writes_starts,
                                       uint writes_counts)
{
    const size_t group = get_global_id(0);
    if (group > groups)
        return;
    const uint size = has_most ? min(n, *(global const uint *)(most + most_at)) : n,
               first = keys_below(keys + keys_at, bytes, 0, size, group);
    if (writes_starts)
        ((global uint *)(starts + starts_at))[group] = first;
    if (writes_counts && group < groups)
        ((global uint *)(counts + counts_at))[group]
            = keys_below(keys + keys_at, bytes, first, size, group + 1) - first;
}

//---- sort: extract [MERGE UTILITY]
/* Kernels that run around sorts: they take keys out of records, gather arrays and check results. */
#if CLSORT_IS(UTILITY) || (CLSORT_INDIRECT && !CLSORT_COMPARATOR)

/* The bits of a float of `bytes` bytes. Each NaN becomes the positive NaN with the lowest bits.
   nans: how many NaNs there are of one sign; if it is 0, all keys stay as they are. */
INLINE ulong with_one_nan(ulong bits, uint bytes, ulong nans)
{
    const ulong positive = ~0UL >> (65 - 8 * bytes), infinity = positive - nans;
    return (bits & positive) > infinity ? infinity + 1 : bits;
}

/* Takes the keys out of records of `stride` bytes, and numbers the records. A sort by index starts
   with these keys and numbers. A key equal to minus_zero becomes 0; for NaNs see with_one_nan.
   copies = 0: writes numbers only, and `keys` may be the source itself. numbers = 0: writes keys
   only. */
CLSORT_KERNEL void clsort_extract(global const uchar *source, ulong source_at, global uchar *keys,
                                  ulong keys_at, global uchar *indices, ulong indices_at, uint n,
                                  uint bytes, ulong stride, ulong minus_zero, ulong nans,
                                  uint copies, uint numbers CLSORT_COUNT_ARGS)
{
    const size_t i = get_global_id(0);
    if (i >= CLSORT_COUNT(n))
        return;
    if (copies) {
        const ulong bits = load_bits(source + source_at + i * stride, bytes);
        store_bits(keys + keys_at + i * bytes, bytes,
                   bits == minus_zero ? 0 : with_one_nan(bits, bytes, nans));
    }
    if (numbers)
        *(global uint *)(indices + indices_at + i * 4) = (uint)i;
}

/* A word `field` describes a packed field of a record: see CLSORT__FIELD_*. field_bytes: its bytes;
   field_code: its code, which codec_t explains. */
INLINE uint field_bytes(ulong field)
{
    return (uint)(field >> CLSORT__FIELD_BYTES) & 127;
}

/* A number of up to 8 bytes, the most significant byte first. */
INLINE ulong load_big_endian(global const uchar *place, uint bytes)
{
    ulong bits = 0;
    for (uint k = 0; k < bytes; k++)
        bits = bits << 8 | place[k];
    return bits;
}

INLINE ulong field_code(global const uchar *record, ulong field)
{
    const uint bytes = field_bytes(field);
    const ulong width = ~0UL >> (64 - 8 * bytes), sign = width ^ width >> 1,
                nans = (1UL << (field >> CLSORT__FIELD_MANTISSA & 63)) - 1,
                minus_zero = field >> CLSORT__FIELD_EQUAL_ZEROS & 1 ? sign : 0,
                negative = field >> CLSORT__FIELD_FLOAT & 1 ? width >> 1 : 0,
                flip = (field >> CLSORT__FIELD_DESCENDING & 1 ? width >> 1 : 0)
                       ^ (field >> CLSORT__FIELD_SIGN & 1 ? sign : 0);
    ulong bits = field >> CLSORT__FIELD_BIG_ENDIAN & 1
                     ? load_big_endian(record + (uint)field, bytes)
                     : load_bits(record + (uint)field, bytes);
    bits = with_one_nan(bits, bytes, field >> CLSORT__FIELD_EQUAL_NANS & 1 ? nans : 0);
    bits = bits == minus_zero ? 0 : bits;
    bits = ((bits ^ (bits & sign ? negative : 0) ^ flip) - nans)
           & width >> (field >> CLSORT__FIELD_IGNORED_HIGH_BITS);
    return bits >> (field >> CLSORT__FIELD_FIRST_BIT & 63);
}

/* A packed field for `bytes` bytes of `field`, from number `first` on. */
INLINE ulong field_part(ulong field, uint first, uint bytes)
{
    return (field & ~(127UL << CLSORT__FIELD_BYTES)) + first
           | (ulong)bytes << CLSORT__FIELD_BYTES;
}

INLINE uint is_bytes(ulong field) { return field >> CLSORT__FIELD_BIG_ENDIAN & 1; }

/* Compares records x and y by packed fields. Returns KEYS_EQUAL, or twice the number of the first
   byte of the key that differs, and 1 more if x comes last. Bytes are counted through all fields;
   in a number the first one stands for all. */
#define KEYS_EQUAL 0xFFFFFFFEu
INLINE uint compare_fields(global const uchar *x, global const uchar *y, ulong8 packed,
                           uint field_count)
{
    ulong field[8];
    vstore8(packed, 0, field);
    for (uint f = 0, before = 0; f < field_count; before += field_bytes(field[f++]))
        for (uint k = 0; k < field_bytes(field[f]); k += 8) {
            const uint bytes = min(field_bytes(field[f]) - k, 8u);
            const ulong part = field_part(field[f], k, bytes), code_x = field_code(x, part),
                        code_y = field_code(y, part);
            if (code_x != code_y)
                return 2 * (before + (is_bytes(part) ? k + bytes - 8
                                                           + (uint)clz(code_x ^ code_y) / 8
                                                     : 0))
                       + (code_x > code_y);
        }
    return KEYS_EQUAL;
}
#endif   /* CLSORT_IS(UTILITY) || CLSORT_INDIRECT */

#if CLSORT_IS(MERGE) && CLSORT_INDIRECT && !CLSORT_COMPARATOR
CLSORT_NOINLINE uint fields_before(codec_t c, uint x, uint y)
{
    return max(x, y) != 0xFFFFFFFFu
           && compare_fields(c.records + y * c.stride, c.records + x * c.stride, c.packed,
                             c.field_count) & 1;
}
#endif

//---- sort: codes [UTILITY]
/* Lowers *lead to the number of the first byte of the key that is not the same in all records, as
   compare_fields counts. Each work-item compares some records with the first one. */
CLSORT_KERNEL void clsort_find_lead(global const uchar *records, ulong records_at, ulong stride,
                                    ulong8 packed, uint field_count, global uchar *lead,
                                    ulong lead_at, uint n CLSORT_COUNT_ARGS)
{
    uint lowest = KEYS_EQUAL;
    n = CLSORT_COUNT(n);
    records += records_at;
    for (size_t i = get_global_id(0); i < n && lowest > 0; i += get_global_size(0))
        lowest = min(lowest,
                     compare_fields(records, records + i * stride, packed, field_count) / 2);
    atomic_min((volatile global uint *)(lead + lead_at), lowest);
}

/* Packs fields of records into codes of up to 8 bytes, the first field in the upper bits, from byte
   `skip` of the key on. Code m is of record from[m], if that is below n. */
INLINE void pack_fields(global const uchar *records, ulong stride, ulong8 packed, uint field_count,
                        uint skip, const uint *from, uint n, ulong *code)
{
    uint room = 8;
    ulong field[8];
    vstore8(packed, 0, field);
    for (uint f = 0; f < field_count; f++) {
        const uint size = field_bytes(field[f]), past = min(skip, size),
                   used = min(size - past, room);
        const ulong part = field_part(field[f], past, used);
        skip -= past;
        if (used < size - past && !is_bytes(field[f]))
            break;
        for (uint m = 0; m < CLSORT_EACH; m++)
            if (used > 0 && from[m] < n)
                code[m] = (used < 8 ? code[m] << 8 * used : 0)
                          | field_code(records + from[m] * stride, part);
        room -= used;
    }
}

/* Makes a code of `bytes` bytes of each record's fields: of as many as fit; the last one may be a
   part of a field of bytes. With `leads` it begins at byte *lead of the key. With by_index, code i
   belongs to records[indices[i]]. Else it belongs to records[i], and with `numbers` the indices are
   written. */
CLSORT_KERNEL void clsort_extract_codes(global const uchar *records, ulong records_at,
                                        global uchar *codes, ulong codes_at, global uchar *indices,
                                        ulong indices_at, global const uchar *lead, ulong lead_at,
                                        uint leads, uint n, uint bytes, uint by_index,
                                        uint numbers, ulong stride, ulong8 packed,
                                        uint field_count CLSORT_COUNT_ARGS)
{
    const size_t first = get_global_id(0) * CLSORT_EACH;
    const uint end = CLSORT_COUNT(n), skip = leads ? *(global const uint *)(lead + lead_at) : 0;
    global uint *index = (global uint *)(indices + indices_at);
    ulong code[CLSORT_EACH];
    uint from[CLSORT_EACH];
    records += records_at;
    for (uint m = 0; m < CLSORT_EACH; m++) {
        from[m] = first + m >= end ? n : by_index ? index[first + m] : (uint)first + m;
        code[m] = 0;
        CLSORT_ASK_FOR(records + from[m] * stride);
    }
    pack_fields(records, stride, packed, field_count, skip, from, n, code);
    for (uint m = 0; m < CLSORT_EACH; m++) {
        if (from[m] >= n)   /* beyond the end, or outside of segments */
            continue;
        store_bits(codes + codes_at + (first + m) * bytes, bytes, code[m]);
        if (!by_index && numbers)
            index[first + m] = from[m];
    }
}

//---- sort: numbers [UTILITY]
/* The place of element i in an array, in bytes. bytes: of an element; own: the segment that i lies
   in; apart: if not 0, segments are rows whose starts in this array are `apart` bytes apart, not
   s.stride elements. */
INLINE ulong element_at(segments_t s, segment_t own, uint i, ulong bytes, ulong apart)
{
    return apart && own.size ? own.begin / s.stride * apart + (i - own.begin) * bytes : i * bytes;
}

/* Writes target[i] for every element i. Inside a segment it becomes i or, with `relative`, work[i]
   minus the start of i's segment. Outside of segments it becomes 0xFFFFFFFF, which is no element;
   with `relative` it is left alone. */
CLSORT_KERNEL void clsort_number_segments(global const uchar *work, ulong work_at,
                                          global uchar *target, ulong target_at,
                                          CLSORT_SEGMENT_ARGS, uint n, uint relative,
                                          ulong apart)
{
    const segments_t s = CLSORT_SEGMENTS;
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    const segment_t own = segment_around(s, i);
    const uint inside = own.size > 0;
    global uint *place = (global uint *)(target + target_at + element_at(s, own, i, 4, apart));
    if (relative && inside)
        *place = ((global const uint *)(work + work_at))[i] - own.begin;
    else if (!relative)
        *place = inside ? i : 0xFFFFFFFFu;
}

//---- select: plan [LONG_ROWS ROUNDS ROW_TILES SELECT SHORT_ROWS STREAMS]
/* SELECT finds the first k elements of every row's sorted order, without sorting the rows. The k-th
   element is the last of them.

   An element is a pair of code and index, so no two elements of a row are equal. A RANGE is an
   interval of pairs that contains the k-th element; at first it is all pairs. A PASS counts the
   elements of the range by a digit of CLSORT_DIGIT_BITS bits, finds the digit of the k-th element,
   and narrows the range to the pairs with this digit. Elements before the range are among the first
   k; elements behind it are not. Passes take the digits of the code first, from the top, then the
   digits of the index, since the index orders equal keys. After the last digit the range has one
   element.

   A row is DECIDED as soon as the elements up to the end of its range fit into a list of
   list_capacity elements in local memory: all first k are among these elements. They are collected
   and sorted, and the first k are written. So a row is read at most ceil(bits / 11) +
   ceil(log2(count) / 11) times, and once more to collect; most rows are read two or three times.
   How many launches there are depends on types, counts and k, but not on the number of rows. The
   host does not ask whether rows are decided: for a row that is done, later launches do nothing.

     short rows: one launch
       select_short: a work-group has a row in registers, and reads it once: in up to 64 columns
       for up to 512 keys, 128 for up to 2048, else 256
       select_tile, if k is above 5 / 8 of the columns: a work-group sorts whole rows in local
       memory
     longer rows: rounds of one launch each, for devices where a work-group may not wait for others
       select_pieces: round 1 cuts each row into pieces of up to 4096 keys, and selects the first k
       of each piece. Each further round does so with the results of the round before, until each
       row is one piece. k is at most 160, or 256 if the caller sets a work-group of 256
     many rows: one launch
       select_rows: a work-group reads its row once per pass
     few long rows
       select_sample, select_read, select_rank: a sample of each row gives a BOUND. One reading
       lists the CANDIDATES: the elements that do not come after the bound. The sample has 1024 to
       32,768 keys; k is limited so that about 150 of these at most are among the first k
       select_pass * (passes + 1), select_sort, for rows whose bound was wrong: several work-groups
       per row add their counts in global memory. Each of them reads the sums in the next launch.
       Most rows are decided after one or two passes; later launches then have nothing to do
       select_begin, select_long, instead of all of these, for devices where a work-group may wait
       for others: a row whose bound was wrong gets a second sample before the passes
     k near the count
       the rows are sorted, then copy_rows copies the first k
     k above the list
       select_pass * (passes + 1), select_scatter: narrows the range until the elements up to its
       end are exactly k, and writes these in the row's order
     partitions
       segments, and rows of the host's length, are sorted whole
       select_pass * (passes + 1), select_scatter, for rows with lengths or a count on the device:
       narrows to the k-th element, and writes the row's new order
     small k, on CPUs: no digits
       select_stream, select_sort: a work-item reads its part of a row once. It lists each element
       that comes before the k-th one of the elements read so far. A full list drops all but its
       first k. If many elements are listed, as in descending order, a sample of the unread elements
       gives a bound; if that bound is wrong, the part is read again. Rows of one part need only
       select_stream

   clsort__select_plans of clsort.h chooses among them by counts, k and rows. */
/* Arguments of every kernel. There are `rows` rows of n keys, from one to the next `stride` bytes.
     minus_zero           the key -0 if it counts as 0; else 0
     ignored, first_bit   bits that a code loses at the top and at the bottom
     list_capacity        the room of a list in local memory, in elements
     passes               the number of digits of a code and an index together
   For bounds, ends, number and given_as see select_from_row. */
#define CLSORT_SELECT_ARGS \
    global const uchar *keys, ulong keys_at, CLSORT_CODEC_ARGS, ulong minus_zero, \
        uint ignored, uint first_bit, uint rows, uint n, ulong stride, uint k, \
        uint select_mode, uint list_capacity, uint passes, global const uchar *bounds, \
        ulong bounds_at, global const uchar *ends, ulong ends_at, global const uchar *number, \
        ulong number_at, uint given_as
#define CLSORT_SELECT \
    { \
        keys + keys_at, CLSORT_CODEC, (code_t)minus_zero, ignored, first_bit, rows, n, \
            stride, k, k, select_mode, list_capacity, passes, \
            (global const uint *)(bounds + bounds_at), (global const uint *)(ends + ends_at), \
            (global const uint *)(number + number_at), given_as \
    }
typedef struct {
    global const uchar *keys;
    codec_t codec;
    code_t minus_zero;
    uint ignored, first_bit, rows, n;
    ulong stride;
    uint k, asked, select_mode, list_capacity, passes;
    global const uint *bounds, *ends, *number;
    uint given_as;
} select_t;

/* The selection from one row; kernels that work on rows call it first. `keys` becomes the start of
   the row, n the row's length, which may be less than the host's n, and k at most n; `asked` stays
   the caller's k. The bits of given_as say what the caller has given in device buffers:
     CLSORT__ROW_LENGTHS            `bounds` has the length of each row
     CLSORT__SEGMENTS_AT_OFFSETS    `bounds` has the start of each segment, `ends` its end
     CLSORT__COUNT_ON_DEVICE        *number is the count of each row */
INLINE select_t select_from_row(select_t s, uint row)
{
    const uint most = s.given_as & CLSORT__COUNT_ON_DEVICE && row < s.rows ? min(s.n, *s.number)
                                                                           : s.n;
    ulong begin = row < s.rows ? row * s.stride : 0;
    s.n = most;
    if (s.given_as & CLSORT__ROW_LENGTHS && row < s.rows) s.n = min(most, s.bounds[row]);
    if (s.given_as & CLSORT__SEGMENTS_AT_OFFSETS && row < s.rows) {
        const uint first = min(s.bounds[row], most);
        begin = first * (ulong)CLSORT_KEY_BYTES;
        s.n = max(min(s.ends[row], most), first) - first;
    }
    s.keys += begin;
    s.stride = 0;
    s.k = min(s.k, s.n);
    return s;
}

/* 1 if the k-th element is the only result. */
INLINE uint is_nth(select_t s) { return s.select_mode == CLSORT__SELECT_NTH; }

/* The outputs. indices, keys: where the results go; outputs: which of the two are written,
   CLSORT__WRITES_*; indices_apart, keys_apart: bytes from a row's results to the next
   row's. */
#define CLSORT_OUTPUT_ARGS \
    global uchar *indices, ulong indices_at, global uchar *keys_out, ulong keys_out_at, \
        uint outputs, ulong indices_apart, ulong keys_apart
#define CLSORT_OUTPUT \
    { indices + indices_at, keys_out + keys_out_at, outputs, indices_apart, keys_apart }
typedef struct {
    global uchar *indices, *keys;
    uint outputs;
    ulong indices_apart, keys_apart;
} output_t;

/* A work-group of one work-item needs no atomics. */
#if CLSORT_GROUP_LOG2 > 0
#define add_local(place, x) atomic_add((volatile local uint *)(place), x)
#else
INLINE uint add_local(local uint *place, uint x)
{
    return (*place += x) - x;
}
#endif

//---- select: parts [LONG_ROWS ROUNDS ROW_TILES SELECT SHORT_ROWS STREAMS]
/* A work-group's part of a row: elements first ... end - 1 of the row at `keys`. If `row` is not
   below the number of rows, the part is empty. numbers: the index of each element, or NULL: then
   an element's index is its place in the row. */
typedef struct {
    global const uchar *keys;
    uint row, part, first, end;
    global const uint *numbers;
} row_part_t;

INLINE row_part_t row_part(select_t s, uint number, uint parts, uint part_elements)
{
    const uint row = number / parts, part = number % parts;
    const uint first = (uint)min((ulong)part * part_elements, (ulong)s.n),
               whole = min(s.n - first, part_elements);
    const row_part_t p = { s.keys + (row < s.rows ? row * s.stride : 0), row, part, first,
                           row < s.rows ? first + whole : first, 0 };
    return p;
}

INLINE row_part_t find_row_part(select_t s, uint parts, uint part_elements)
{
    return row_part(s, (uint)get_group_id(0), parts, part_elements);
}

/* The code of a key without its ignored bits. */
INLINE code_t code_of(select_t s, code_t key)
{
    const code_t code = encode(key == s.minus_zero ? 0 : key, s.codec);
    return (code_t)((code_t)(code << s.ignored) >> (s.ignored + s.first_bit));
}

/* 1 if code_of does what `encode` does: no bits are removed, and -0 is not replaced. */
INLINE uint takes_whole_keys(select_t s)
{
    return !(s.minus_zero || s.ignored || s.first_bit);
}

/* The code of element i without its ignored bits. */
INLINE code_t select_code(select_t s, row_part_t p, size_t i)
{
    return code_of(s, ((global const code_t *)p.keys)[i]);
}

/* The index of element i. */
INLINE uint number_of(row_part_t p, uint i)
{
    return p.numbers && i != 0xFFFFFFFFu ? p.numbers[i] : i;
}

/* Writes element i of the row as result number `place`. Its key is decoded from `code` if
   known = 1, else read from the row. */
INLINE void write_result(select_t s, row_part_t p, output_t out, size_t place, uint i,
                         uint known, code_t code)
{
    if (out.outputs & CLSORT__WRITES_INDICES)
        ((global uint *)(out.indices + p.row * out.indices_apart))[place] = number_of(p, i);
    if (out.outputs & CLSORT__WRITES_KEYS)
        ((global code_t *)(out.keys + p.row * out.keys_apart))[place]
            = known ? decode(code, s.codec) : ((global const code_t *)p.keys)[i];
}

/* Writes element i of the row as result number `place`. i = 0xFFFFFFFF stands for a result that a
   row of fewer than k elements does not have: its index is 0xFFFFFFFF, and its key is the last key
   in the order. */
INLINE void write_element(select_t s, row_part_t p, output_t out, size_t place, uint i)
{
    write_result(s, p, out, place, i, i >= s.n, CLSORT_TOP_CODE);
}

/* Writes the results that a row of fewer than k elements does not have: see write_element. */
INLINE void write_marks(select_t s, row_part_t p, output_t out)
{
    const uint nth = is_nth(s), there = nth ? s.k == s.asked : s.k;
    for (uint i = there + local_id(); i < (nth ? 1 : s.asked); i += CLSORT_GROUP)
        write_element(s, p, out, i, 0xFFFFFFFFu);
}

/* Row `row` as one part. */
INLINE row_part_t whole_row(select_t s, uint row)
{
    const row_part_t p = { s.keys + row * s.stride, row, 0, 0, s.n, 0 };
    return p;
}

//---- select: ranks [LONG_ROWS ROUNDS SELECT.group SHORT_ROWS]
/* A pair of code and index. */
#if CLSORT_KEY_BYTES <= 4
typedef ulong ranked_t;
#define CLSORT_RANKED(code, index) ((ulong)(code) << 32 | (index))
#define CLSORT_RANKED_CODE(x) ((x) >> 32)
#define CLSORT_RANKED_INDEX(x) ((uint)(x))
#define CLSORT_RANKED_BEFORE(x, y) ((x) < (y))
#else
typedef struct { ulong code, index; } ranked_t;
INLINE ranked_t make_ranked(ulong code, uint index)
{
    const ranked_t r = { code, index };
    return r;
}
#define CLSORT_RANKED(code, index) make_ranked(code, index)
#define CLSORT_RANKED_CODE(x) ((x).code)
#define CLSORT_RANKED_INDEX(x) ((uint)(x).index)
#define CLSORT_RANKED_BEFORE(x, y) \
    ((x).code < (y).code || ((x).code == (y).code && (x).index < (y).index))
#endif   /* CLSORT_KEY_BYTES <= 4 */

/* The number of pairs in x[0 ... count - 1] that come before `own`. The loop over 16 pairs is
   unrolled, so that their loads do not wait for each other. */
INLINE uint rank_among(local const ranked_t *x, uint count, ranked_t own)
{
    uint rank = 0, j = 0;
    for (; j + 16 <= count; j += 16) {
        #pragma unroll
        for (uint b = 0; b < 16; b++)
            rank += CLSORT_RANKED_BEFORE(x[j + b], own);
    }
    for (; j + 4 <= count; j += 4) {
        #pragma unroll
        for (uint b = 0; b < 4; b++)
            rank += CLSORT_RANKED_BEFORE(x[j + b], own);
    }
    for (; j < count; j++)
        rank += CLSORT_RANKED_BEFORE(x[j], own);
    return rank;
}

/* BLOCKS are used to rank many pairs. Each block of CLSORT_BLOCK pairs is sorted by comparing all
   its pairs with each other. Then a binary search in every block counts the pairs before a given
   pair. For 128 or 256 pairs, a selection took 2 to 8 us less on an H200 than by comparing all
   pairs with all. There is one pair from each of CLSORT_COLUMNS columns; each work-item has
   CLSORT_FIRSTS columns. */
#define CLSORT_FIRSTS (CLSORT_NEEDS_REGISTER_ROWS ? CLSORT_RADIX_ITEMS : 1)
#define CLSORT_COLUMNS (CLSORT_FIRSTS * CLSORT_GROUP)
#define CLSORT_BLOCK (CLSORT_GROUP < 32 ? CLSORT_GROUP : 32)
#define CLSORT_BLOCKS (CLSORT_COLUMNS / CLSORT_BLOCK)

/* Puts pair x[i] at its rank in its block of `sorted`. All pairs are different. */
INLINE void put_in_block(local const ranked_t *x, local ranked_t *sorted, uint i)
{
    const uint block = i / CLSORT_BLOCK * CLSORT_BLOCK;
    const ranked_t own = x[i];
    sorted[block + rank_among(x + block, CLSORT_BLOCK, own)] = own;
}

/* The number of pairs in all blocks that come before `own`. */
INLINE uint rank_in_blocks(local const ranked_t *sorted, ranked_t own)
{
    uint place[CLSORT_BLOCKS], rank = 0;
    #pragma unroll
    for (uint b = 0; b < CLSORT_BLOCKS; b++)
        place[b] = b * CLSORT_BLOCK;
    #pragma unroll
    for (uint step = CLSORT_BLOCK / 2; step > 0; step /= 2) {
        #pragma unroll
        for (uint b = 0; b < CLSORT_BLOCKS; b++)
            place[b] += CLSORT_RANKED_BEFORE(sorted[place[b] + step - 1], own) ? step : 0;
    }
    #pragma unroll
    for (uint b = 0; b < CLSORT_BLOCKS; b++)
        rank += place[b] % CLSORT_BLOCK + CLSORT_RANKED_BEFORE(sorted[place[b]], own);
    return rank;
}

/* Writes element x of a row if its rank is among the wanted results: ranks below k, or only rank
   k - 1 if is_nth. If the code has all bits of the key, the key is decoded from the code: that is
   faster than to load the key again. */
INLINE void write_ranked(select_t s, row_part_t p, output_t out, uint rank, ranked_t x)
{
    const uint nth = is_nth(s), place = nth ? 0 : rank,
               i = CLSORT_RANKED_INDEX(x);
    if (nth ? rank != s.asked - 1 || s.k != s.asked : rank >= s.k)
        return;
    write_result(s, p, out, place, i, i >= s.n || takes_whole_keys(s),
                 (code_t)CLSORT_RANKED_CODE(x));
}

//---- select: short rows [ROUNDS SHORT_ROWS]
/* SHORT ROWS. A work-group has a row in registers, CLSORT_ITEMS elements per work-item. They form
   CLSORT_COLUMNS columns; each work-item has CLSORT_FIRSTS columns. In each column, the pair that
   comes before all others is the column's FIRST. The k-th of all firsts is the BOUND. Elements that
   do not come after the bound are CANDIDATES.
     k firsts are candidates, so there are at least k candidates, and the first k elements of the
   row are among them. A column whose first comes after the bound has no candidates, so all
   candidates lie in k columns. For any input there are thus at most k times the length of a column.
   A candidate's rank in the row is the number of candidates before it. */

/* Local memory. firsts: of all columns, then the bound; list: candidates; count: how many. */
typedef struct {
    local ranked_t *firsts, *list;
    local uint *count;
} short_row_t;

/* Part `piece` of a row that is cut into `pieces` parts; their lengths differ by 1 at most.
   numbers: the indices of the elements of all rows, row by row, or NULL. */
INLINE row_part_t cut_piece(select_t s, uint row, uint piece, uint pieces,
                            global const uint *numbers)
{
    const uint each = s.n / pieces, longer = s.n % pieces,
               first = piece * each + min(piece, longer);
    const row_part_t p = { s.keys, row * pieces + piece, piece, first,
                           first + each + (piece < longer ? 1 : 0),
                           numbers ? numbers + (size_t)row * s.n : numbers };
    return p;
}

/* Loads a piece. code[m] becomes the code of element p.first + m * CLSORT_GROUP + local_id(), or
   the top code if this lies beyond the end. Without CLSORT_BRANCH_BARRIERS the same loop loads all
   kinds of keys: PoCL 5.0 aborts if `code` may be set by one of two loops. */
INLINE void load_short_row(select_t s, row_part_t p, code_t *code)
{
    global const code_t *keys = (global const code_t *)p.keys + p.first;
    const uint size = p.end - p.first;
    if (CLSORT_BRANCH_BARRIERS && takes_whole_keys(s)) {
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++) {
            const uint i = m * CLSORT_GROUP + local_id();
            code[m] = i < size ? encode(keys[i], s.codec) : CLSORT_TOP_CODE;
        }
    } else {
        #pragma unroll
        for (uint m = 0; m < CLSORT_ITEMS; m++) {
            const uint i = m * CLSORT_GROUP + local_id();
            code[m] = i < size ? code_of(s, keys[i]) : CLSORT_TOP_CODE;
        }
    }
}

//---- select: bounds of short rows [ROUNDS SHORT_ROWS]
/* Finds the firsts of a work-item's columns. */
INLINE void find_firsts(const code_t *code, short_row_t l, ranked_t *own)
{
    const uint t = local_id();
    #pragma unroll
    for (uint f = 0; f < CLSORT_FIRSTS; f++) {
        code_t first = code[f];
        uint at = f;
        #pragma unroll
        for (uint m = f + CLSORT_FIRSTS; m < CLSORT_ITEMS; m += CLSORT_FIRSTS) {
            at = code[m] < first ? m : at;
            first = min(first, code[m]);
        }
        own[f] = CLSORT_RANKED(first, at * CLSORT_GROUP + t);
        l.firsts[f * CLSORT_GROUP + t] = own[f];
    }
}

/* Finds the bound: the first of a column that has rank k - 1 among all firsts. Called by all; needs
   a barrier after, and a barrier between the last use of the list and this call. */
INLINE void find_bound(select_t s, const code_t *code, short_row_t l)
{
    const uint t = local_id(), in_blocks = CLSORT_COLUMNS >= CLSORT__EDGE_MANY_COLUMNS;
    ranked_t own[CLSORT_FIRSTS];
    find_firsts(code, l, own);
    group_sync();
    if (t == 0)
        *l.count = 0;
    if (in_blocks) {
        #pragma unroll
        for (uint f = 0; f < CLSORT_FIRSTS; f++)
            put_in_block(l.firsts, l.list, f * CLSORT_GROUP + t);
        group_sync();
    }
    #pragma unroll
    for (uint f = 0; f < CLSORT_FIRSTS; f++) {
        const uint rank = in_blocks ? rank_in_blocks(l.list, own[f])
                                    : rank_among(l.firsts, CLSORT_COLUMNS, own[f]);
        if (rank == max(s.k, 1u) - 1)
            l.firsts[CLSORT_COLUMNS] = own[f];
    }
}

/* Lists the candidates, which do not come after the bound, in any order. */
INLINE void list_candidates(const code_t *code, short_row_t l)
{
    const ranked_t bound = l.firsts[CLSORT_COLUMNS];
    const uint t = local_id();
    uint taken = 0;
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        taken |= (uint)!CLSORT_RANKED_BEFORE(bound, CLSORT_RANKED(code[m], m * CLSORT_GROUP + t))
                 << m;
    if (!taken)
        return;
    uint place = atomic_add((volatile local uint *)l.count, popcount(taken));
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        if (taken >> m & 1)
            l.list[place++] = CLSORT_RANKED(code[m], m * CLSORT_GROUP + t);
}

/* If the list has more than CLSORT__EDGE_RANKED_MOST pairs, pads it to the next power of two, sorts
   it by a bitonic network, and returns 1. A shorter list stays unsorted. Called by all after a
   barrier; ends with a barrier. */
INLINE uint sort_candidates(short_row_t l, uint count)
{
    const uint size = count > CLSORT__EDGE_RANKED_MOST(CLSORT_GROUP) ? 1u << ceil_log2(count) : 0;
    for (uint i = count + local_id(); i < size; i += CLSORT_GROUP)
        l.list[i] = CLSORT_RANKED(CLSORT_TOP_CODE, 0xFFFFFFFFu);
    for (uint block = 2; block <= size; block *= 2)
        for (uint step = block; step > 1; step /= 2) {
            group_sync();
            for (uint t = local_id(); t < size / 2; t += CLSORT_GROUP) {
                const uint apart = step / 2, low = (t & ~(apart - 1)) * 2 + (t & (apart - 1)),
                           high = step == block ? low ^ (block - 1) : low + apart;
                const ranked_t x = l.list[low], y = l.list[high];
                if (CLSORT_RANKED_BEFORE(y, x)) {
                    l.list[low] = y;
                    l.list[high] = x;
                }
            }
        }
    group_sync();
    return size != 0;
}

//---- select: results of short rows [ROUNDS SHORT_ROWS]
/* Writes the wanted candidates. The indices in the list count from the start of the piece, so
   p.first is added to them. */
INLINE void write_candidates(select_t s, row_part_t p, output_t out, short_row_t l,
                             uint count, uint sorted)
{
    for (uint c = local_id(); c < (sorted ? s.k : count); c += CLSORT_GROUP) {
        const ranked_t own = l.list[c];
        write_ranked(s, p, out, sorted ? c : rank_among(l.list, count, own),
                     CLSORT_RANKED((code_t)CLSORT_RANKED_CODE(own),
                                   CLSORT_RANKED_INDEX(own) + p.first));
    }
    write_marks(s, p, out);
}

/* Local memory of `space`: CLSORT_COLUMNS + 1 pairs, list_capacity pairs, a word; a pair has
   CLSORT__RANKED_BYTES bytes. */
INLINE short_row_t short_row_in(local ulong *space, uint list_capacity)
{
    local ranked_t *const firsts = (local ranked_t *)space,
                   *const list = firsts + CLSORT_COLUMNS + 1;
    const short_row_t l = { firsts, list, (local uint *)(list + list_capacity) };
    return l;
}

/* Selects from a row, or a piece of one, in one reading. */
INLINE void select_in_registers(select_t s, row_part_t p, output_t out, short_row_t l)
{
    code_t code[CLSORT_ITEMS];
    load_short_row(s, p, code);
    find_bound(s, code, l);
    group_sync();
    list_candidates(code, l);
    group_sync();
    const uint count = *l.count, sorted = sort_candidates(l, count);
    write_candidates(s, p, out, l, count, sorted);
}

//---- select: short rows are selected from [ROUNDS SHORT_ROWS]
#if CLSORT_IS(SHORT_ROWS)
/* A work-group takes one row after the other. space: see short_row_in. */
CLSORT_KERNEL void clsort_select_short(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, local ulong *space)
{
    const select_t all = CLSORT_SELECT;
    const output_t out = CLSORT_OUTPUT;
    const short_row_t l = short_row_in(space, all.list_capacity);
    for (uint row = (uint)get_group_id(0); row < all.rows; row += (uint)get_num_groups(0)) {
        const select_t s = select_from_row(all, row);
        select_in_registers(s, whole_row(s, row), out, l);
    }
}
#else
/* One round. A work-group takes one piece after the other. The results of a piece are written as if
   it were a row. numbers: see cut_piece. */
CLSORT_KERNEL void clsort_select_pieces(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, uint pieces,
                                        global const uchar *numbers, ulong numbers_at,
                                        local ulong *space)
{
    const select_t all = CLSORT_SELECT;
    const output_t out = CLSORT_OUTPUT;
    const short_row_t l = short_row_in(space, all.list_capacity);
    for (uint i = (uint)get_group_id(0); i < all.rows * pieces; i += (uint)get_num_groups(0)) {
        const uint row = i / pieces;
        const select_t s = select_from_row(all, row);
        select_in_registers(s, cut_piece(s, row, i - row * pieces, pieces,
                                         (global const uint *)(numbers + numbers_at)), out, l);
    }
}
#endif   /* CLSORT_IS(SHORT_ROWS) */

//---- select: tiles of rows [ROW_TILES]
/* Element i of a tile that begins with row `first`: its code, and its index in its row. Behind the
   end of a row: the top code and 0xFFFFFFFF. */
INLINE item_t row_item(select_t s, uint first, uint i)
{
    const uint row = i / s.n, at = i - row * s.n;
    const select_t own = select_from_row(s, first + row);
    item_t r = top_item();
    r.key = at < own.n ? select_code(own, whole_row(own, first + row), at) : CLSORT_TOP_CODE;
    r.word[0] = at < own.n ? at : 0xFFFFFFFFu;
    return r;
}

/* For large k: a work-group sorts a tile of `per` whole rows, in the way of packed segments, and
   writes the wanted elements of each row. There are no more work-groups than tiles, except if
   `rows` is 0. Local memory as for clsort_segment_pack. */
CLSORT_KERNEL void clsort_select_tile(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, uint per,
                                      local code_t *codes, local uint *words, local uint *space)
{
    const select_t s = CLSORT_SELECT;
    const output_t out = CLSORT_OUTPUT;
    const packing_t packing = clear_packing(space);
    const uint t = local_id(), first = (uint)get_group_id(0) * per,
               rows_here = s.rows ? min(s.rows - first, per) : 0, size = rows_here * s.n;
    const uint nth = is_nth(s), wanted = nth ? 1 : s.k;
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        const uint i = m * CLSORT_GROUP + t;
        put_item(codes, words, i, i < size ? row_item(s, first, i) : top_item());
    }
    for (uint r = t; r <= rows_here; r += CLSORT_GROUP)
        flag_head(packing, r * s.n);
    local_barrier();
    find_around(packing, size);
    local_barrier();
    sort_packed(codes, words, packing, s.codec);
    for (uint i = t; i < rows_here * wanted; i += CLSORT_GROUP) {
        const uint row = i / wanted, at = row * s.n + (nth ? s.k - 1 : i - row * wanted);
        const select_t own = select_from_row(s, first + row);
        write_element(own, whole_row(own, first + row), out, i - row * wanted,
                      get_item(codes, words, at).word[0]);
    }
}

//---- select: range [LONG_ROWS SELECT STREAMS]
/* A range of pairs: codes low ... high. Once low equals high, the range has only the indices
   low_index ... high_index of that code.
     size       the number of the row's elements in the range
     left       the row's k-th element is the left-th element of the range
     decided    0: the row is not decided; 1: it has been decided in this pass; 2: in an earlier
                pass */
typedef struct {
    code_t low, high;
    uint low_index, high_index, left, size, decided;
} select_range_t;

/* 1 if the row is decided. What that takes depends on the mode:
     PARTITION    the range has one element, which is the k-th
     UNORDERED    the range ends with the k-th element: then all its elements are wanted
     NTH          the elements of the range fit into the list
     FIRST        the elements before the range and in it fit into the list together */
INLINE uint is_decided(select_t s, select_range_t r)
{
    if (s.select_mode == CLSORT__SELECT_PARTITION)
        return r.size <= 1;
    return s.select_mode == CLSORT__SELECT_UNORDERED
               ? r.size == r.left
               : r.size <= s.list_capacity
                     && (is_nth(s) || s.k - r.left <= s.list_capacity - r.size);
}

INLINE select_range_t whole_range(select_t s)
{
    select_range_t r = { 0, CLSORT_TOP_CODE, 0, 0xFFFFFFFFu, s.k, s.n, 0 };
    r.decided = is_decided(s, r);
    return r;
}

INLINE uint in_range(select_range_t r, code_t code, uint i)
{
    return code >= r.low && code <= r.high && i >= r.low_index && i <= r.high_index;
}

/* 1 if an element is TAKEN: the elements of the range are with NTH, the elements before the range
   with PARTITION, both with the other modes. */
INLINE uint is_taken(select_t s, select_range_t r, code_t code, uint i)
{
    if (s.select_mode == CLSORT__SELECT_PARTITION)   /* not the k-th, which is the range */
        return code < r.low || (code == r.low && i < r.low_index);
    return is_nth(s) ? in_range(r, code, i)
                     : code < r.low || (code <= r.high && i <= r.high_index);
}

/* The digit of a pass. by_index: 1 for a digit of the index, 0 for one of the code; shift: how many
   bits lie below the digit. */
typedef struct { uint by_index, shift; } select_digit_t;

INLINE select_digit_t select_pass_digit(select_t s, uint pass)
{
    const uint code_bits = 8 * CLSORT_KEY_BYTES - s.ignored - s.first_bit,
               index_bits = 32 - clz(s.n - 1);
    const uint code_passes = (code_bits + CLSORT_DIGIT_BITS - 1) / CLSORT_DIGIT_BITS,
               by_index = pass >= code_passes;
    const uint bits = by_index ? index_bits : code_bits,
               end = (pass + 1 - (by_index ? code_passes : 0)) * CLSORT_DIGIT_BITS;
    const select_digit_t d = { by_index, bits > end ? bits - end : 0 };
    return d;
}

INLINE uint digit_inside(select_range_t r, select_digit_t d, code_t code, uint i)
{
    return d.by_index ? (i - r.low_index) >> d.shift : (uint)((code_t)(code - r.low) >> d.shift);
}

//---- select: narrowing [LONG_ROWS SELECT STREAMS]
/* A work-group's local memory `space`, in words:
     [0]              the number of collected elements
     [CLSORT_FOUND]   what narrow_range finds, three words: the digit of the k-th element; how many
                      elements of the range have a lower digit; how many have this digit
     [CLSORT_SUMS]    for scans
     [CLSORT_LIST]    the counts of digits, or the indices of the collected elements */
#define CLSORT_FOUND 1
#define CLSORT_SUMS CLSORT__SELECT_SUMS
#define CLSORT_LIST CLSORT__SELECT_LIST(CLSORT_GROUP)

/* The part of a range that has one digit. before: elements of the range before this part; size:
   elements of this part. */
INLINE select_range_t take_digit(select_t s, select_range_t r, select_digit_t d, uint digit,
                                 uint before, uint size)
{
    if (d.by_index) {
        r.low_index += digit << d.shift;
        r.high_index = r.low_index + ((1u << d.shift) - 1);
    } else {
        r.low = (code_t)(r.low + (code_t)((code_t)digit << d.shift));
        r.high = (code_t)(r.low + (code_t)(((code_t)1 << d.shift) - 1));
    }
    r.left -= before;
    r.size = size;
    r.decided = is_decided(s, r);
    return r;
}

/* If open = 1, narrows the range to the digit of the k-th element, which the pass's counts from
   CLSORT_LIST on give; else only turns decided = 1 into 2. Called by all; needs no barrier before.
   The counts may be overwritten after the call without a barrier. */
INLINE select_range_t narrow_range(select_t s, select_range_t r, uint open, uint pass,
                                   local uint *space)
{
    local const uint *bins = space + CLSORT_LIST + local_id() * (CLSORT_DIGITS / CLSORT_GROUP);
    local uint *found = space + CLSORT_FOUND;
    uint sum = 0, total, b = 0;
    group_sync();
    for (uint i = 0; i < CLSORT_DIGITS / CLSORT_GROUP; i++)
        sum += open ? bins[i] : 0;
    uint before = group_scan_total(sum, space + CLSORT_SUMS, &total);
    if (open && before < r.left && r.left - before <= sum) {
        for (; r.left - before > bins[b]; b++)
            before += bins[b];
        found[0] = local_id() * (CLSORT_DIGITS / CLSORT_GROUP) + b;
        found[1] = before;
        found[2] = bins[b];
    }
    group_sync();
    if (open)
        return take_digit(s, r, select_pass_digit(s, pass), found[0], found[1], found[2]);
    r.decided *= 2;
    return r;
}

//---- select: visits [LONG_ROWS SELECT STREAMS]
/* What a work-group does with its part in a pass:
     NOTHING      it does not read the part
     TO_COUNT     counts the elements of the range by their digits
     TO_COLLECT   lists the indices of the taken elements
     TO_TALLY     only counts the taken elements, and notes the k-th of a partition */
enum { VISIT_NOTHING, VISIT_TO_COUNT, VISIT_TO_COLLECT, VISIT_TO_TALLY };

INLINE uint choose_action(select_t s, select_range_t r, uint pass)
{
    if (s.select_mode >= CLSORT__SELECT_UNORDERED && pass == s.passes)
        return VISIT_TO_TALLY;
    return !r.decided                                                   ? VISIT_TO_COUNT
           : r.decided == 1 && s.select_mode < CLSORT__SELECT_UNORDERED ? VISIT_TO_COLLECT
                                                                        : VISIT_NOTHING;
}

/* A streak: consecutive elements of a work-item that have the same digit. One atomic adds their
   number, since with many equal keys atomics for each element would wait for one counter. If the
   work-group is one work-item, it adds 1 for each element: it needs no atomics, and the branch that
   compares digits would be mispredicted. */
typedef struct { uint digit, count; } streak_t;

INLINE void end_streak(local uint *space, streak_t streak)
{
    if (streak.count)
        add_local(&space[CLSORT_LIST + streak.digit], streak.count);
}

INLINE void count_element(uint digit, streak_t *streak, local uint *space)
{
    if (CLSORT_GROUP_LOG2 == 0) {
        space[CLSORT_LIST + digit]++;
    } else if (digit == streak->digit) {
        streak->count++;
    } else {
        end_streak(space, *streak);
        streak->digit = digit;
        streak->count = 1;
    }
}

INLINE void visit(select_t s, select_range_t r, uint action, select_digit_t d, code_t code,
                  uint i, streak_t *streak, local uint *space)
{
    if (action == VISIT_TO_COUNT) {
        if (in_range(r, code, i))
            count_element(digit_inside(r, d, code, i), streak, space);
    } else if (is_taken(s, r, code, i)) {
        if (action == VISIT_TO_TALLY) {
            count_element(0, streak, space);
            return;
        }
        const uint place = add_local(&space[0], 1);
        if (place < s.list_capacity)
            space[CLSORT_LIST + place] = i;
    } else if (action == VISIT_TO_TALLY && in_range(r, code, i)) {
        space[CLSORT_LIST + 1] = i + 1;   /* the k-th element of a partition */
    }
}

/* Visits all elements of a part, as `action` says. Called by all; its results in local memory are
   visible after the next barrier. CLSORT_VISITS elements are loaded before the first one is
   visited. */
#define CLSORT_VISITS 8
INLINE void visit_row_part(select_t s, row_part_t p, select_range_t r, uint action,
                           uint pass, local uint *space)
{
    const select_digit_t d = select_pass_digit(s, pass);
    const size_t end = action == VISIT_NOTHING ? 0 : p.end;
    streak_t streak = { 0, 0 };
    size_t i = p.first + local_id();
    for (uint b = local_id();
         b < (action == VISIT_TO_COLLECT || action == VISIT_NOTHING ? 0 : CLSORT_DIGITS);
         b += CLSORT_GROUP)
        space[CLSORT_LIST + b] = 0;
    group_sync();
    for (; i + (CLSORT_VISITS - 1) * CLSORT_GROUP < end; i += CLSORT_VISITS * CLSORT_GROUP) {
        code_t code[CLSORT_VISITS];
        #pragma unroll
        for (uint b = 0; b < CLSORT_VISITS; b++)
            code[b] = select_code(s, p, i + b * CLSORT_GROUP);
        #pragma unroll
        for (uint b = 0; b < CLSORT_VISITS; b++)
            visit(s, r, action, d, code[b], (uint)i + b * CLSORT_GROUP, &streak, space);
    }
    for (; i < end; i += CLSORT_GROUP)
        visit(s, r, action, d, select_code(s, p, i), (uint)i, &streak, space);
    end_streak(space, streak);
}

//---- select: sorting [LONG_ROWS SELECT STREAMS]
/* Puts the pairs at a and b in order: the smaller one goes to a. */
INLINE void order_pairs(local code_t *codes, local uint *list, uint a, uint b)
{
    const code_t code_a = codes[a], code_b = codes[b];
    const uint i = list[a], j = list[b];
    if (code_b < code_a || (code_b == code_a && j < i)) {
        codes[a] = code_b;
        codes[b] = code_a;
        list[a] = j;
        list[b] = i;
    }
}

/* Sorts the collected elements by code and index: pads the list to the next power of two, which
   list_capacity has room for, and applies a bitonic network. Called by all; needs no barrier
   before; ends with a barrier. */
INLINE void sort_list(select_t s, row_part_t p, local uint *space, local code_t *codes)
{
    local uint *list = space + CLSORT_LIST;
    group_sync();
    const uint count = min(space[0], s.list_capacity), size = 1u << ceil_log2(count);
    for (uint i = local_id(); i < size; i += CLSORT_GROUP) {
        codes[i] = i < count ? select_code(s, p, list[i]) : CLSORT_TOP_CODE;
        list[i] = i < count ? list[i] : 0xFFFFFFFFu;
    }
    group_sync();
    for (uint block = 2; block <= size; block *= 2)
        for (uint step = block; step > 1; step /= 2) {
            for (uint t = local_id(); t < size / 2; t += CLSORT_GROUP) {
                const uint apart = step / 2, low = (t & ~(apart - 1)) * 2 + (t & (apart - 1));
                order_pairs(codes, list, low, step == block ? low ^ (block - 1) : low + apart);
            }
            group_sync();
        }
}

/* Writes the wanted elements of a sorted list. For results that a row of fewer than k elements does
   not have, see write_element. */
INLINE void write_list(select_t s, row_part_t p, select_range_t r, output_t out,
                       local const uint *list)
{
    const uint nth = is_nth(s), wanted = nth ? 1 : s.asked;
    for (uint i = local_id(); i < (p.row < s.rows ? wanted : 0); i += CLSORT_GROUP) {
        const uint there = nth ? s.k == s.asked : i < s.k;
        write_element(s, p, out, i, there ? list[nth ? r.left - 1 : i] : 0xFFFFFFFFu);
    }
}

//---- select: ranks of a list [LONG_ROWS SELECT STREAMS]
/* Writes the wanted ones of the collected elements, each at its rank. To find the ranks, it
   compares all elements with all: compilers turn this loop into vector instructions, while the
   branches of a bitonic network are mispredicted. From 512 elements on, the network was faster. */
INLINE void write_by_ranks(select_t s, row_part_t p, select_range_t r, output_t out,
                           local const uint *list, local code_t *codes, uint count)
{
    const uint nth = is_nth(s);
    for (uint i = 0; i < count; i++)
        codes[i] = select_code(s, p, list[i]);
    for (uint i = 0; i < count; i++) {
        const code_t code = codes[i];
        const uint index = list[i];
        uint rank = 0;
        for (uint j = 0; j < count; j++)
            rank += (codes[j] < code) | ((codes[j] == code) & (list[j] < index));
        if (nth ? rank == r.left - 1 && s.k == s.asked : rank < s.k)
            write_element(s, p, out, nth ? 0 : rank, index);
    }
    write_marks(s, p, out);
}

/* Writes the wanted ones of the collected elements, in order. Called by all; needs no barrier
   before. Local memory as for clsort_select_rows. */
INLINE void write_collected(select_t s, row_part_t p, select_range_t r, output_t out,
                            local uint *space, local code_t *codes)
{
    if (CLSORT_GROUP == 1) {
        const uint count = min(space[0], s.list_capacity);
        if (count <= CLSORT__EDGE_RANK_MOST && p.row < s.rows) {
            write_by_ranks(s, p, r, out, space + CLSORT_LIST, codes, count);
            return;
        }
    }
    sort_list(s, p, space, codes);
    write_list(s, p, r, out, space + CLSORT_LIST);
}

//---- select: rows [SELECT]
/* Selects from a row per work-group, in one launch. space: CLSORT_LIST words, then CLSORT_DIGITS
   words or, if that is more, list_capacity words; codes: list_capacity codes. */
CLSORT_KERNEL void clsort_select_rows(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, local uint *space,
                                      local code_t *codes)
{
    const select_t all = CLSORT_SELECT, s = select_from_row(all, (uint)get_group_id(0));
    const output_t out = CLSORT_OUTPUT;
    const row_part_t p = find_row_part(s, 1, s.n);
    select_range_t r = whole_range(s);
    if (local_id() == 0)
        space[0] = 0;
    for (uint pass = 0; pass <= s.passes; pass++) {
        visit_row_part(s, p, r, choose_action(s, r, pass), pass, space);
        r = narrow_range(s, r, !r.decided, pass, space);
    }
    write_collected(s, p, r, out, space, codes);
}

//---- select: tables [LONG_ROWS SELECT STREAMS]
/* The tables in global memory, one behind the other:
     - the counts of digits, for three passes, pass % 3, and in each for every row. A pass adds to
       its own counts, reads the counts of the pass before, and clears the counts of the next pass
     - the table of each row, row_words words: two ranges, of this pass and of the pass before; the
       words below; from CLSORT__ROW_LIST on the indices of the collected elements, or, if elements
       are tallied, the number of taken elements of each part
     - the candidates of each row, most_candidates pairs, if rows get a bound. Then the passes work
       only on rows whose bound was wrong
   The kernel that samples rows clears the counts of pass 0. If rows get no bound, the host does.

   Words of a row's table:
     ROW_COLLECTED     the number of collected elements; of a partition, the index of the k-th
                       element
     ROW_CANDIDATES    the number of candidates that a reading has found
     ROW_FAILED        how often the row has failed: 0, 1 or 2
     ROW_BOUND         the bound, code and index, as two words of 64 bits

   Words in the table of row 0, if one launch does all steps:
     ROW_NUMBERS       how many numbers have been drawn; the next word: how many are done
     ROW_ANY_FAILED    the largest ROW_FAILED of all rows */
enum { ROW_COLLECTED = 32, ROW_CANDIDATES, ROW_FAILED, ROW_BOUND = 36 };
enum { ROW_NUMBERS = 40, ROW_ANY_FAILED = 42 };
#define CLSORT_TABLE_ARGS \
    global uchar *tables, ulong tables_at, uint row_words, uint most_candidates, uint parts, \
        uint part_elements
#define CLSORT_TABLES { (global uint *)(tables + tables_at), rows, row_words, most_candidates }
typedef struct {
    global uint *words;
    uint rows, row_words, most_candidates;
} tables_t;

INLINE global uint *row_counts(tables_t t, uint row, uint pass)
{
    return t.words + ((size_t)(pass % 3) * t.rows + row) * CLSORT_DIGITS;
}

INLINE global uint *row_words_of(tables_t t, uint row)
{
    return t.words + (size_t)3 * t.rows * CLSORT_DIGITS + (size_t)row * t.row_words;
}

/* The part `p`, if rows get no bounds or the row has failed at least `times` times; else an empty
   part behind the last row. */
INLINE row_part_t open_row_part(tables_t t, row_part_t p, uint times)
{
    if (t.most_candidates && p.row < t.rows && row_words_of(t, p.row)[ROW_FAILED] < times) {
        p.row = t.rows;
        p.end = p.first;
    }
    return p;
}

/* Stores, in a row's table, the range with which a pass works; load_range loads it. */
INLINE void store_range(global uint *row, uint pass, select_range_t r)
{
    global ulong *words = (global ulong *)(row + pass % 2 * 16);
    words[0] = r.low;
    words[1] = r.high;
    words[2] = r.low_index;
    words[3] = r.high_index;
    words[4] = r.left;
    words[5] = r.size;
    words[6] = r.decided;
}

INLINE select_range_t load_range(global const uint *row, uint pass)
{
    global const ulong *words = (global const ulong *)(row + pass % 2 * 16);
    const select_range_t r = { (code_t)words[0], (code_t)words[1], (uint)words[2], (uint)words[3],
                               (uint)words[4],   (uint)words[5],   (uint)words[6] };
    return r;
}

//---- select: passes [LONG_ROWS SELECT STREAMS]
/* The range of this pass. Every work-group of a row computes it, from the range and the counts of
   the pass before, which are complete since that pass was another launch or step. */
INLINE select_range_t find_range(select_t s, tables_t t, row_part_t p, uint pass,
                                 local uint *space)
{
    const uint later = pass && p.row < s.rows;
    select_range_t r = whole_range(s);
    if (later)
        r = load_range(row_words_of(t, p.row), pass - 1);
    const uint open = later && !r.decided;
    for (uint b = local_id(); b < (open ? CLSORT_DIGITS : 0); b += CLSORT_GROUP)
        space[CLSORT_LIST + b] = row_counts(t, p.row, pass - 1)[b];
    r = narrow_range(s, r, open, pass - 1, space);
    if (!later)   /* a short row is decided in the first pass */
        r.decided = is_decided(s, r);
    return r;
}

/* If this is the first part of a row, stores for the next pass the range, and clears the counts
   that the next pass will add to. */
INLINE void keep_range(select_t s, tables_t t, row_part_t p, select_range_t r, uint pass)
{
    if (p.part || p.row >= s.rows)
        return;
    for (uint b = local_id(); b < CLSORT_DIGITS; b += CLSORT_GROUP)
        row_counts(t, p.row, pass + 1)[b] = 0;
    if (local_id() == 0) {
        store_range(row_words_of(t, p.row), pass, r);
        if (pass == 0)
            row_words_of(t, p.row)[ROW_COLLECTED] = 0;
    }
}

/* Adds to the row's tables what the work-group has found in its part: the counts of digits, the
   collected elements, or the number of taken elements. Called by all; needs no barrier before. */
INLINE void add_to_tables(select_t s, tables_t t, row_part_t p, uint action, uint pass,
                          local uint *space)
{
    const uint lid = local_id(),
               bins = action == VISIT_TO_COUNT && p.row < s.rows ? CLSORT_DIGITS : 0;
    global uint *counts = row_counts(t, p.row, pass), *row = row_words_of(t, p.row);
    group_sync();
    for (uint b = lid; b < bins; b += CLSORT_GROUP)
        if (space[CLSORT_LIST + b])
            atomic_add((volatile global uint *)&counts[b], space[CLSORT_LIST + b]);
    if (lid == 0 && space[0])
        space[CLSORT_FOUND] = atomic_add((volatile global uint *)&row[ROW_COLLECTED], space[0]);
    if (lid == 0 && action == VISIT_TO_TALLY && p.row < s.rows) {
        row[CLSORT__ROW_LIST + p.part] = space[CLSORT_LIST];
        if (space[CLSORT_LIST + 1])
            row[ROW_COLLECTED] = space[CLSORT_LIST + 1] - 1;
    }
    group_sync();
    for (uint i = lid; i < space[0]; i += CLSORT_GROUP)
        if (space[CLSORT_FOUND] + i < s.list_capacity)
            row[CLSORT__ROW_LIST + space[CLSORT_FOUND] + i] = space[CLSORT_LIST + i];
}

/* One pass over a part. */
INLINE void pass_over(select_t s, tables_t t, row_part_t p, local uint *space, uint pass)
{
    if (local_id() == 0)
        space[0] = 0;
    const select_range_t r = find_range(s, t, p, pass, space);
    const uint action = choose_action(s, r, pass);
    keep_range(s, t, p, r, pass);
    visit_row_part(s, p, r, action, pass, space);
    add_to_tables(s, t, p, action, pass, space);
}

#if CLSORT_IS(SELECT)
/* One pass over rows that are cut into parts. A work-group per part. */
CLSORT_KERNEL void clsort_select_pass(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, local uint *space,
                                      uint pass)
{
    const select_t all = CLSORT_SELECT,
                   s = select_from_row(all, (uint)get_group_id(0) / parts);
    const tables_t t = CLSORT_TABLES;
    pass_over(s, t, open_row_part(t, find_row_part(s, parts, part_elements), 1), space, pass);
}
#endif

/* A pseudo-random number below `end`, which depends on `seed` only. */
INLINE uint draw_below(uint seed, uint end)
{
    const uint drawn = seed * 0x9E3779B1u;
    return mul_hi((drawn ^ drawn >> 15) * 0x85EBCA6Bu, end);
}

//---- select: samples [LONG_ROWS SELECT.group]
/* ONE READING of a row finds the first k elements, if a guess was right. A sample of the row gives
   a BOUND. A reading of the row lists the CANDIDATES: all elements that do not come after the
   bound. Then the candidates are cut by value into shares, one for each work-group, which finds the
   ranks of its candidates. The bound is wrong if there are fewer than k candidates, or more than
   the row's list has room for. Then the row has FAILED, and is selected from in another way. */
#define CLSORT_SAMPLED 16

INLINE void put_bound(global uint *row, ranked_t bound)
{
    global ulong *words = (global ulong *)(row + ROW_BOUND);
    words[0] = CLSORT_RANKED_CODE(bound);
    words[1] = CLSORT_RANKED_INDEX(bound);
}

/* The place in the row of element x of the sample. The row is cut into strips of `apart` elements.
   In each strip one cluster of CLSORT__CLUSTER consecutive elements is sampled, at a pseudo-random
   place: if clusters lay at equal distances, a sample of periodic keys would mislead. A second
   sample has another seed, so its clusters lie at other places. */
INLINE uint sampled_place(uint x, uint apart, uint seed)
{
    const uint cluster = x / CLSORT__CLUSTER;
    return cluster * apart
           + draw_below(2 * cluster + seed + 1, apart / CLSORT__CLUSTER) * CLSORT__CLUSTER
           + x % CLSORT__CLUSTER;
}

/* The seed of a second sample: an odd number that depends on keys all over the row. An input that
   was made to mislead the first sample will not mislead the second one too, unless its author has
   also computed this seed. Called by all; `word` of local memory is free before and after. */
INLINE uint seed_of_row(select_t s, row_part_t p, uint exists, local uint *word)
{
    const uint lid = local_id(), apart = s.n / (CLSORT_GROUP * CLSORT_SAMPLED);
    uint mixed = 0;
    #pragma unroll 1   /* unrolled it takes 37 registers more */
    for (uint b = 0; b < (exists ? CLSORT_SAMPLED : 0); b++) {
        const ulong key = ((global const code_t *)p.keys)[(b * CLSORT_GROUP + lid) * apart];
        mixed = (mixed ^ (uint)(key ^ key >> 32)) * 0x9E3779B1u;
    }
    return group_total(mixed * (2 * lid + 1), word) | 1;
}

//---- select: bounds of long rows [LONG_ROWS SELECT.group]
/* The pair that comes first in a work-item's share of the sample. Neighbouring work-items load the
   elements of a cluster. */
INLINE ranked_t first_of_sample(select_t s, row_part_t p, uint clusters, uint seed)
{
    const uint sample = clusters * CLSORT__CLUSTER, apart = s.n / max(clusters, 1u);
    code_t first = CLSORT_TOP_CODE;
    uint at = 0xFFFFFFFFu;
    for (uint i = local_id(); i < sample; i += CLSORT_GROUP * CLSORT_SAMPLED) {
        code_t code[CLSORT_SAMPLED];
        uint place[CLSORT_SAMPLED];
        #pragma unroll
        for (uint b = 0; b < CLSORT_SAMPLED; b++) {
            const uint x = i + b * CLSORT_GROUP;
            place[b] = sampled_place(x < sample ? x : i, apart, seed);
            code[b] = select_code(s, p, place[b]);
        }
        #pragma unroll
        for (uint b = 0; b < CLSORT_SAMPLED; b++)
            if (code[b] < first || at == 0xFFFFFFFFu) {
                first = code[b];
                at = place[b];
            }
    }
    return CLSORT_RANKED(first, at);
}

/* Samples a row, and stores its bound. Each work-item finds the pair that comes first in its share
   of the sample; the bound is the wanted-th of these pairs in order. again = 1: the row has failed
   once. It gets another sample, and a bound that lets about twice as many candidates through; the
   row's list has room for them. space: CLSORT_GROUP pairs. */
INLINE void sample_row(select_t s, tables_t t, row_part_t p, uint clusters, uint wanted,
                       uint again, local ulong *space)
{
    const uint exists = p.row < s.rows, lid = local_id();
    local ranked_t *firsts = (local ranked_t *)space;
    global uint *row = row_words_of(t, exists ? p.row : 0);
    group_sync();
    const uint seed = again ? seed_of_row(s, p, exists, (local uint *)space) : 0;
    const ranked_t own = first_of_sample(s, p, exists ? clusters : 0, seed);
    if (lid == 0 && exists)
        row[ROW_CANDIDATES] = 0;
    firsts[lid] = own;
    group_sync();
    const uint most = max(wanted, (uint)CLSORT__EDGE_LAST_BOUND(CLSORT_GROUP)),
               more = again ? min(2 * wanted, most) : wanted;
    if (rank_among(firsts, CLSORT_GROUP, own) == min(more, (uint)CLSORT_GROUP) - 1 && exists)
        put_bound(row, own);
}

/* Prepares the tables of a row, and samples it. A work-group per row. */
INLINE void begin_row(select_t s, tables_t t, uint clusters, uint wanted, local ulong *space)
{
    const row_part_t p = find_row_part(s, 1, s.n);
    global uint *row = row_words_of(t, p.row < s.rows ? p.row : 0);
    for (uint b = local_id(); b < (p.row < s.rows ? CLSORT_DIGITS : 0); b += CLSORT_GROUP)
        row_counts(t, p.row, 0)[b] = 0;
    if (local_id() == 0 && p.row < s.rows) {
        row[ROW_FAILED] = row[ROW_ANY_FAILED] = 0;
        row[ROW_NUMBERS] = row[ROW_NUMBERS + 1] = 0;
    }
    sample_row(s, t, p, clusters, wanted, 0, space);
}

#define CLSORT_SAMPLE_KERNEL(name) \
    CLSORT_KERNEL void name(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, uint clusters, uint wanted, \
                            local ulong *space) \
    { \
        const select_t s = CLSORT_SELECT; \
        const tables_t t = CLSORT_TABLES; \
        begin_row(s, t, clusters, wanted, space); \
    }
#if CLSORT_IS(SELECT)
CLSORT_SAMPLE_KERNEL(clsort_select_sample)   /* before clsort_select_read */
#else
CLSORT_SAMPLE_KERNEL(clsort_select_begin)   /* before clsort_select_long */
#endif

//---- select: reading once [LONG_ROWS SELECT.group]
/* A pack is 16 bytes of keys. If they are aligned, one instruction loads a pack. A work-item loads
   CLSORT_PACKS_AHEAD packs before it looks at the first one. */
#define CLSORT_PACKS_AHEAD (CLSORT_KEY_BYTES < 8 ? CLSORT_KEY_BYTES : 4)
typedef union { pack_t pack; code_t key[CLSORT_PACK]; } packed_keys_t;
/* A batch: elements that a work-item looks at together. */
#define CLSORT_BATCH (CLSORT_PACK * CLSORT_PACKS_AHEAD)

/* Where a work-group lists the candidates that it reads: in its own list; when that is full, in the
   row's list. In the end its own list is copied behind the row's list.
     code, index   the bound
     list          the work-group's list in local memory, of CLSORT__LISTED pairs
     count         [0]: candidates that came for `list`, also when it was full; [1]: the place of
                   `list` in the row's list; [2]: not 0 if both lists are full
     row           the row's table
     all, most     the row's list, and its room in pairs */
typedef struct {
    code_t code;
    uint index, most;
    local ranked_t *list;
    local uint *count;
    global uint *row;
    global ranked_t *all;
} reading_t;

INLINE global ranked_t *row_candidates(tables_t t, uint row)
{
    return (global ranked_t *)(row_words_of(t, t.rows)) + (size_t)row * t.most_candidates;
}

/* The place in the part of a batch's element b. first: the place of element 0. A work-item's batch
   is several groups of `together` consecutive elements; from one group to the next are
   CLSORT_GROUP * together places. */
#define CLSORT_BATCH_PLACE(first, together, b) \
    ((first) + (b) / (together) * ((together) * CLSORT_GROUP) + (b) % (together))

/* Lists a candidate in the work-group's list or, if that is full, in the row's. Returns 1 if both
   are full: then the row fails. */
INLINE uint list_pair(reading_t c, ranked_t x)
{
    const uint at = add_local(c.count, 1);
    if (at < CLSORT__LISTED) {
        c.list[at] = x;
        return 0;
    }
    if (atomic_or((volatile local uint *)&c.count[2], 0))
        return 1;
    const uint late = atomic_inc((volatile global uint *)&c.row[ROW_CANDIDATES]);
    if (late < c.most)
        c.all[late] = x;
    else
        atomic_or((volatile local uint *)&c.count[2], 1);
    return late >= c.most;
}

/* Lists the candidates of a batch; ignores places from `size` on. Few batches have a candidate, and
   most of these have one. Its key is loaded again: to find its code in registers takes longer. */
INLINE void list_batch(select_t s, row_part_t p, reading_t c, const code_t *code,
                       uint first, uint together, uint size)
{
    uint taken = 0;
    #pragma unroll
    for (uint b = 0; b < CLSORT_BATCH; b++)
        taken |= (uint)(code[b] <= c.code) << b;
    for (; taken; taken &= taken - 1) {
        const uint b = 31 - clz(taken & -taken), place = CLSORT_BATCH_PLACE(first, together, b),
                   i = p.first + place;
        if (place >= size)
            continue;
        const code_t own = select_code(s, p, i);
        if ((own < c.code || i <= c.index) && list_pair(c, CLSORT_RANKED(own, i)))
            break;
    }
}

/* Lists the candidates of the first `whole` packs of a part. */
INLINE void read_packs(select_t s, row_part_t p, reading_t c, uint whole)
{
    global const pack_t *packs = (global const pack_t *)((global const code_t *)p.keys + p.first);
    for (uint i = local_id(); i < whole; i += CLSORT_GROUP * CLSORT_PACKS_AHEAD) {
        packed_keys_t keys[CLSORT_PACKS_AHEAD];
        code_t code[CLSORT_BATCH];
        #pragma unroll
        for (uint b = 0; b < CLSORT_PACKS_AHEAD; b++)
            keys[b].pack = packs[min(i + b * CLSORT_GROUP, whole - 1)];
        if (takes_whole_keys(s)) {
            #pragma unroll
            for (uint b = 0; b < CLSORT_BATCH; b++)
                code[b] = encode(keys[b / CLSORT_PACK].key[b % CLSORT_PACK], s.codec);
        } else {
            #pragma unroll
            for (uint b = 0; b < CLSORT_BATCH; b++)
                code[b] = code_of(s, keys[b / CLSORT_PACK].key[b % CLSORT_PACK]);
        }
        list_batch(s, p, c, code, i * CLSORT_PACK, CLSORT_PACK, whole * CLSORT_PACK);
    }
}

/* Lists the candidates among a part's elements from `first` on. These are the last elements, too
   few for a pack, or all elements if the part's keys are not aligned. */
INLINE void read_keys(select_t s, row_part_t p, reading_t c, uint first)
{
    const uint size = p.end - p.first;
    for (uint i = first + local_id(); i < size; i += CLSORT_GROUP * CLSORT_BATCH) {
        code_t code[CLSORT_BATCH];
        #pragma unroll
        for (uint b = 0; b < CLSORT_BATCH; b++)
            code[b] = select_code(s, p, p.first + min(i + b * CLSORT_GROUP, size - 1));
        list_batch(s, p, c, code, i, 1, size);
    }
}

//---- select: a part read once [LONG_ROWS SELECT.group]
/* Reads a part, and lists its candidates. space: CLSORT__LISTED pairs and three words. */
INLINE void read_row_part(select_t s, tables_t t, row_part_t p, local ulong *space)
{
    const uint lid = local_id();
    const uint exists = p.row < s.rows, own_row = exists ? p.row : 0;
    global uint *row = row_words_of(t, own_row);
    global const ulong *bound = (global const ulong *)(row + ROW_BOUND);
    local ranked_t *list = (local ranked_t *)space;
    local uint *count = (local uint *)(list + CLSORT__LISTED);
    const uint behind = exists && bound[1] < p.first;   /* 1: the bound's code is not wanted here */
    const reading_t c = { (code_t)(exists ? bound[0] - behind : 0),
                          (uint)(exists && !behind ? bound[1] : 0xFFFFFFFFu),
                          t.most_candidates, list, count, row, row_candidates(t, own_row) };
    if (behind && !bound[0])
        p.end = p.first;
    if (lid == 0)
        count[0] = count[2] = 0;
    group_sync();
    const uint aligned = ((size_t)((global const code_t *)p.keys + p.first) & 15) == 0,
               packed = exists && aligned ? (p.end - p.first) / CLSORT_PACK * CLSORT_PACK : 0;
    read_packs(s, p, c, packed / CLSORT_PACK);
    read_keys(s, p, c, packed);
    group_sync();
    const uint listed = min(count[0], (uint)CLSORT__LISTED);
    if (lid == 0 && listed)
        count[1] = atomic_add((volatile global uint *)&row[ROW_CANDIDATES], listed);
    group_sync();
    for (uint i = lid; i < listed; i += CLSORT_GROUP)
        if (count[1] + i < c.most)
            c.all[count[1] + i] = list[i];
}

//---- select: finding ranks [LONG_ROWS SELECT.group]
/* A work-group's share of a row's candidates: all pairs that do not come before `low` but come
   before `high`. has_low = 0: the share has no lower end; has_high = 0: it has no upper end. */
typedef struct { ranked_t low, high; uint has_low, has_high; } share_t;

/* Shares a row's candidates out among `shares` work-groups, and returns share `number`. The shares
   are cut by a sample of the candidates, which is sorted: each work-item draws `each` candidates,
   and the pair of these that comes first is in the sample. Only the first `end` pairs of the sample
   cut shares: k candidates probably come before pair number `end`, and candidates behind it are in
   no share. CLSORT_GROUP candidates or fewer are one share and need no sample. firsts, space:
   CLSORT_GROUP pairs each; on return `firsts` has the sorted sample. Called by all; ends with a
   barrier. */
INLINE share_t find_share(select_t s, global const ranked_t *all, uint count, uint number,
                          uint shares, local ranked_t *firsts, local ranked_t *space)
{
    const uint lid = local_id(), deep = count > CLSORT_GROUP;
    const uint each = deep ? max(min(count / (2 * s.k), min(count / CLSORT_GROUP, 16u)), 1u) : 0,
               apart = deep ? max(count / (each * CLSORT_GROUP), 1u) : 0;
    ranked_t own = CLSORT_RANKED(CLSORT_TOP_CODE, 0xFFFFFFFFu - lid);
    for (uint j = 0; j < each; j++) {
        const uint column = lid + j * CLSORT_GROUP;
        const ranked_t x = all[column * apart + draw_below(column + 1, apart)];
        if (CLSORT_RANKED_BEFORE(x, own))
            own = x;
    }
    firsts[lid] = own;
    group_sync();
    if (deep || !CLSORT_BRANCH_BARRIERS) {
        put_in_block(firsts, space, lid);
        group_sync();
        firsts[rank_in_blocks(space, own)] = own;
    }
    group_sync();
    const float before = (float)s.k * (float)(CLSORT_GROUP * each) / (float)max(count, 1u);
    const uint end = (uint)min(before + 4 * sqrt(before) + 4, (float)CLSORT_GROUP);
    const uint low = end * number / shares, high = end * (number + 1) / shares;
    const share_t share = { firsts[low < CLSORT_GROUP ? low : 0],
                            firsts[high < CLSORT_GROUP ? high : 0], number > 0,
                            deep && high < CLSORT_GROUP };
    return share;
}

/* Reads all `count` candidates of a row, and lists the pairs of the share, up to CLSORT__LISTED of
   them. Adds the number of candidates before the share to counts[0], and the number of pairs in the
   share to counts[1]. */
INLINE void list_share(global const ranked_t *all, uint count, share_t share,
                       local ranked_t *list, local uint *counts)
{
    uint before = 0;
    for (uint i = local_id(); i < count; i += CLSORT_GROUP * CLSORT_VISITS) {
        ranked_t x[CLSORT_VISITS];
        uint taken = 0;
        #pragma unroll
        for (uint b = 0; b < CLSORT_VISITS; b++)
            x[b] = all[min(i + b * CLSORT_GROUP, count - 1)];
        #pragma unroll
        for (uint b = 0; b < CLSORT_VISITS; b++) {
            const uint is_low = share.has_low && CLSORT_RANKED_BEFORE(x[b], share.low),
                       is_high = share.has_high && !CLSORT_RANKED_BEFORE(x[b], share.high),
                       exists = i + b * CLSORT_GROUP < count;
            before += exists && is_low;
            taken |= (uint)(exists && !is_low && !is_high) << b;
        }
        uint place = taken ? add_local(&counts[1], popcount(taken)) : 0;
        #pragma unroll
        for (uint b = 0; b < CLSORT_VISITS; b++)
            if (taken >> b & 1 && place++ < CLSORT__LISTED)
                list[place - 1] = x[b];
    }
    if (before)
        add_local(&counts[0], before);
}

//---- select: buckets [LONG_ROWS SELECT.group]
/* BUCKETS of a share's list, if it is long. The sorted sample by which candidates were shared out
   also cuts the list into buckets. So to find its rank, a pair is compared only with the pairs of
   its own bucket. bucket[i]: the bucket of list[i]; order: the numbers i of all pairs, bucket by
   bucket; ends[b]: where bucket b ends in `order`; sums: CLSORT__SCAN_WORDS words. */
typedef struct {
    local const ranked_t *list, *sample;
    local uint *ends, *sums;
    local ushort *bucket, *order;
} buckets_t;

/* Puts the pairs into buckets. Called by all; ends with a barrier. */
INLINE void fill_buckets(buckets_t l, uint count)
{
    const uint lid = local_id();
    l.ends[lid] = 0;
    group_sync();
    for (uint i = lid; i < count; i += CLSORT_GROUP) {
        const ranked_t own = l.list[i];
        uint bucket = 0;
        #pragma unroll
        for (uint step = CLSORT_GROUP / 2; step > 0; step /= 2)
            bucket += CLSORT_RANKED_BEFORE(own, l.sample[bucket + step - 1]) ? 0 : step;
        l.bucket[i] = (ushort)bucket;
        add_local(&l.ends[bucket], 1);
    }
    group_sync();
    l.ends[lid] = group_scan(l.ends[lid], l.sums);
    group_sync();
    for (uint i = lid; i < count; i += CLSORT_GROUP)
        l.order[add_local(&l.ends[l.bucket[i]], 1)] = (ushort)i;
    group_sync();
}

/* The number of pairs in the list that come before list[i]. */
INLINE uint rank_in_buckets(buckets_t l, uint i)
{
    const uint bucket = l.bucket[i], begin = bucket ? l.ends[bucket - 1] : 0;
    const ranked_t own = l.list[i];
    uint rank = begin;
    for (uint j = begin; j < l.ends[bucket]; j++)
        rank += CLSORT_RANKED_BEFORE(l.list[l.order[j]], own);
    return rank;
}

//---- select: ranks of candidates [LONG_ROWS SELECT.group]
/* Marks a row as failed. again = 0: its first bound was wrong; 1: its second one, so that the
   passes select from it. */
INLINE void fail_row(tables_t t, global uint *row, uint again)
{
    atomic_max((volatile global uint *)&row[ROW_FAILED], 1 + again);
    atomic_max((volatile global uint *)&row_words_of(t, 0)[ROW_ANY_FAILED], 1 + again);
}

/* Ranks the listed pairs of a share, and writes the wanted ones. before: candidates before the
   share. Called by all. */
INLINE void write_share(select_t s, row_part_t p, output_t out, buckets_t l, uint count,
                        uint before)
{
    const uint crowded = count > CLSORT_GROUP;
    if (crowded || !CLSORT_BRANCH_BARRIERS)
        fill_buckets(l, crowded ? count : 0);
    for (uint i = local_id(); i < count; i += CLSORT_GROUP) {
        const uint rank = crowded ? rank_in_buckets(l, i) : rank_among(l.list, count, l.list[i]);
        write_ranked(s, p, out, before + rank, l.list[i]);
    }
}

/* Ranks a share of a row's candidates, and writes the wanted ones. The row fails if
     - it has fewer than k candidates, or more than its list has room for
     - a share of which elements are wanted has more than CLSORT__LISTED pairs
     - all its shares together have fewer than k candidates
   space: CLSORT__LISTED pairs, twice CLSORT_GROUP pairs, two words, CLSORT_GROUP words,
   CLSORT__LISTED words. */
INLINE void rank_share(select_t s, tables_t t, output_t out, uint group_row, uint number,
                       uint shares, uint again, local ulong *space)
{
    const uint lid = local_id(), exists = group_row < s.rows, own_row = exists ? group_row : 0;
    global uint *row = row_words_of(t, own_row);
    global const ranked_t *all = row_candidates(t, own_row);
    local ranked_t *list = (local ranked_t *)space, *firsts = list + CLSORT__LISTED;
    local uint *counts = (local uint *)(firsts + 2 * CLSORT_GROUP);
    const uint found = exists ? row[ROW_CANDIDATES] : 0,
               fits = found >= s.k && found <= t.most_candidates,
               count = fits && (found > CLSORT_GROUP || !number) ? found : 0;
    if (lid < 2)
        counts[lid] = 0;
    const share_t share = find_share(s, all, count, number, shares, firsts, firsts + CLSORT_GROUP);
    list_share(all, count, share, list, counts);
    group_sync();
    const uint before = counts[0], listed = counts[1],
               wanted = before < s.k && listed <= CLSORT__LISTED ? listed : 0;
    const uint last = number == shares - 1 || found <= CLSORT_GROUP;
    if (lid == 0 && exists
        && (!fits || (before < s.k && listed > CLSORT__LISTED)
            || (count && last && before + listed < s.k)))
        fail_row(t, row, again);
    local uint *ends = counts + 2;
    local ushort *bucket = (local ushort *)(ends + CLSORT_GROUP);
    const buckets_t l = { list, firsts, ends, (local uint *)(firsts + CLSORT_GROUP), bucket,
                          bucket + CLSORT__LISTED };
    write_share(s, whole_row(s, own_row), out, l, wanted, before);
}

#if CLSORT_IS(SELECT)
/* Reads every part of every row once, a work-group per part, and lists the candidates. space: see
   read_row_part. */
CLSORT_KERNEL void clsort_select_read(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, local ulong *space)
{
    const select_t s = CLSORT_SELECT;
    const tables_t t = CLSORT_TABLES;
    read_row_part(s, t, find_row_part(s, parts, part_elements), space);
}

/* Ranks the candidates of each row, `ranges` work-groups per row. space: see rank_share. */
CLSORT_KERNEL void clsort_select_rank(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,
                                      uint ranges, local ulong *space)
{
    const select_t s = CLSORT_SELECT;
    const output_t out = CLSORT_OUTPUT;
    const tables_t t = CLSORT_TABLES;
    const uint group = (uint)get_group_id(0);
    rank_share(s, t, out, group / ranges, group % ranges, ranges, 0, space);
}
#endif   /* CLSORT_IS(SELECT) */

//---- select: candidates [STREAMS]
/* A list of elements that may be among the first k of a part: `count` pairs of code and index. The
   work-group is one work-item. */
typedef struct {
    local code_t *codes;
    local uint *list;
    uint count;
} candidates_t;

/* 1 if code a of element i comes before code b of element j. order_pairs does not call it, but has
   the comparison in its own text: with the call, selections of k = 512 were slower on PoCL. */
INLINE uint pair_precedes(code_t a, uint i, code_t b, uint j)
{
    return a < b || (a == b && i < j);
}

/* Reorders `count` pairs of code and index so that the first k in order come first; the k-th of
   them is at place k - 1. Source: C. A. R. Hoare, FIND, 1961. */
CLSORT_NOINLINE void find_first(local code_t *codes, local uint *list, uint count, uint k)
{
    int low = 0, high = (int)count - 1, wanted = (int)k - 1;
    while (low < high) {
        const code_t code = codes[(low + high) / 2];
        const uint index = list[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (pair_precedes(codes[i], list[i], code, index))
                i++;
            while (pair_precedes(code, index, codes[j], list[j]))
                j--;
            if (i <= j) {
                const code_t code_i = codes[i];
                const uint index_i = list[i];
                codes[i] = codes[j];
                list[i++] = list[j];
                codes[j] = code_i;
                list[j--] = index_i;
            }
        }
        low = wanted >= i ? i : wanted > j ? wanted : low;
        high = wanted <= j ? j : wanted < i ? wanted : high;
    }
}

/* Keeps the first k candidates and drops the others. The k-th one is at place k - 1. */
INLINE void keep_first(candidates_t *c, uint k)
{
    find_first(c->codes, c->list, c->count, k);
    c->count = min(c->count, k);
}

/* Inserts an element into the sorted list of the first k elements read so far. If the list has k
   elements already, it loses its last one. Returns the new bound: see append_candidate. */
INLINE code_t insert_candidate(select_t s, candidates_t *c, code_t code, uint i,
                               code_t bound)
{
    uint place = c->count < s.k ? c->count++ : s.k - 1;
    for (; place > 0 && c->codes[place - 1] > code; place--) {
        c->codes[place] = c->codes[place - 1];
        c->list[place] = c->list[place - 1];
    }
    c->codes[place] = code;
    c->list[place] = i;
    return c->count < s.k ? bound : min(bound, c->codes[s.k - 1]);
}

/* Appends an element to the list. If the list is then full, it keeps its first k and drops the
   others. If k is at most CLSORT__EDGE_INSERT_MOST, the list is kept sorted instead. Returns the
   new bound: elements read later with this code or a higher one are not among the first k. */
INLINE code_t append_candidate(select_t s, candidates_t *c, code_t code, uint i,
                               code_t bound)
{
    if (s.k <= CLSORT__EDGE_INSERT_MOST)
        return insert_candidate(s, c, code, i, bound);
    c->codes[c->count] = code;
    c->list[c->count++] = i;
    if (c->count < s.list_capacity)
        return bound;
    keep_first(c, s.k);
    return min(bound, c->codes[s.k - 1]);
}

//---- select: streams [STREAMS]
#define CLSORT_STREAM_BLOCK 32
#define CLSORT_STREAM_SAMPLE 64

/* Samples the elements of a part from `first` on, and returns a code. Probably at least k of these
   elements, but not many more, have this code or a lower one. Returns the top code if a sample does
   not help. */
INLINE code_t sample_rest(select_t s, row_part_t p, uint first)
{
    const uint apart = (p.end - first) / CLSORT_STREAM_SAMPLE;
    const float x = (float)s.k / (float)max(apart, 1u);   /* keys of the sample among the k */
    const uint wanted = (uint)(x + 4 * sqrt(x) + 4);
    code_t lowest[CLSORT__EDGE_INSERT_MOST];
    if (apart < CLSORT__EDGE_LEAST_APART || wanted > CLSORT__EDGE_INSERT_MOST)
        return CLSORT_TOP_CODE;
    for (uint i = 0; i < CLSORT_STREAM_SAMPLE; i++) {
        const code_t code = select_code(s, p, first + i * apart + draw_below(i + 1, apart));
        uint place = min(i, wanted);
        for (; place > 0 && lowest[place - 1] > code; place--)
            if (place < wanted)
                lowest[place] = lowest[place - 1];
        if (place < wanted)
            lowest[place] = code;
    }
    return lowest[wanted - 1];
}

//---- select: blocks of streams [STREAMS]
/* Loads the codes of a block. Returns 1 if any of them is below the bound. */
INLINE uint load_stream_block(select_t s, row_part_t p, size_t i, code_t bound,
                              code_t *code)
{
    uint below = 0;
    for (uint b = 0; b < CLSORT_STREAM_BLOCK; b++) {
        code[b] = select_code(s, p, i + b);
        below |= code[b] < bound;
    }
    return below;
}

/* Appends the codes of a block that are below the bound, and adds their number to *appended.
   Returns the new bound. */
INLINE code_t append_block(select_t s, candidates_t *c, const code_t *code, size_t i,
                           code_t bound, uint *appended)
{
    for (uint b = 0; b < CLSORT_STREAM_BLOCK; b++)
        if (code[b] < bound) {
            bound = append_candidate(s, c, code[b], (uint)i + b, bound);
            ++*appended;
        }
    return bound;
}

/* Collects the first k elements of a part, in any order. It reads the part block by block, and
   skips a block if none of its codes is below the bound, as most blocks have none. When `patience`
   codes below the bound have been found, as in descending order, a sample of the unread elements
   lowers the bound. Returns 0 if the sample has made the bound too low: then some of the first k
   may be missing. */
INLINE uint stream_elements(select_t s, row_part_t p, candidates_t *c, uint patience)
{
    const uint open_elements = s.k <= CLSORT__EDGE_INSERT_MOST ? s.k : s.list_capacity;
    const size_t open = min((size_t)p.first + open_elements, (size_t)p.end);
    code_t bound = CLSORT_TOP_CODE, sampled = bound;
    uint appended = 0;
    size_t i;
    for (i = p.first; i < open; i++)
        bound = append_candidate(s, c, select_code(s, p, i), (uint)i, bound);
    for (; i + CLSORT_STREAM_BLOCK <= p.end; i += CLSORT_STREAM_BLOCK) {
        code_t code[CLSORT_STREAM_BLOCK];
        if (!load_stream_block(s, p, i, bound, code))
            continue;
        bound = append_block(s, c, code, i, bound, &appended);
        if (appended < patience)
            continue;
        patience = 0xFFFFFFFFu;
        sampled = sample_rest(s, p, (uint)i);
        bound = min(bound, (code_t)max((code_t)(sampled + 1), sampled));
    }
    for (; i < p.end; i++)
        if (select_code(s, p, i) < bound)
            bound = append_candidate(s, c, select_code(s, p, i), (uint)i, bound);
    if (s.k > CLSORT__EDGE_INSERT_MOST)
        keep_first(c, s.k);
    return sampled == CLSORT_TOP_CODE || (c->count >= s.k && c->codes[s.k - 1] <= sampled);
}

INLINE void stream_row_part(select_t s, row_part_t p, candidates_t *c)
{
    /* In random order, about k (1 + ln(n / k)) of n keys are below the bound when they are read. */
    const uint often = s.k * (2 + ceil_log2((p.end - p.first) / max(s.k, 1u) + 1));
    for (uint patience = 8 + often, done = 0; !done; patience = 0xFFFFFFFFu) {
        c->count = 0;
        done = stream_elements(s, p, c, patience);
    }
}

/* A work-item reads a part. If each row is one part, it writes the row's results; else it stores
   the first k elements of its part in the row's table, for clsort_select_sort. */
CLSORT_KERNEL void clsort_select_stream(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,
                                        local uint *space, local code_t *codes)
{
    const select_t all = CLSORT_SELECT,
                   s = select_from_row(all, (uint)get_group_id(0) / parts);
    const output_t out = CLSORT_OUTPUT;
    const tables_t t = CLSORT_TABLES;
    const row_part_t p = find_row_part(s, parts, part_elements);
    candidates_t c = { codes, space + CLSORT_LIST, 0 };
    stream_row_part(s, p, &c);
    if (parts == 1) {
        space[0] = c.count;
        write_collected(s, p, whole_range(s), out, space, codes);
        return;
    }
    global uint *row = row_words_of(t, p.row);
    for (uint i = 0; i < c.count; i++)
        row[CLSORT__ROW_LIST + p.part * s.k + i] = c.list[i];
    if (p.part == (s.n ? s.n - 1 : 0) / part_elements)   /* the last part that has elements */
        row[ROW_COLLECTED] = p.part * s.k + c.count;
}

//---- select: results [LONG_ROWS SELECT STREAMS]
/* Sorts the elements that passes, or streams, have collected in a row's table, and writes the
   wanted ones. Local memory as for clsort_select_rows. */
INLINE void sort_row(select_t s, tables_t t, output_t out, row_part_t p,
                     local uint *space, local code_t *codes)
{
    const uint exists = p.row < s.rows;
    global const uint *row = row_words_of(t, exists ? p.row : 0);
    const select_range_t r = exists && s.passes ? load_range(row, s.passes) : whole_range(s);
    const uint count = exists ? min(row[ROW_COLLECTED], s.list_capacity) : 0;
    for (uint i = local_id(); i < count; i += CLSORT_GROUP)
        space[CLSORT_LIST + i] = row[CLSORT__ROW_LIST + i];
    if (local_id() == 0)
        space[0] = count;
    write_collected(s, p, r, out, space, codes);
}

#if CLSORT_IS(SELECT) || CLSORT_IS(STREAMS)
/* Calls sort_row for every row. A work-group per row. */
CLSORT_KERNEL void clsort_select_sort(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,
                                      local uint *space, local code_t *codes)
{
    const select_t all = CLSORT_SELECT, s = select_from_row(all, (uint)get_group_id(0));
    const output_t out = CLSORT_OUTPUT;
    const tables_t t = CLSORT_TABLES;
    sort_row(s, t, out, open_row_part(t, find_row_part(s, 1, s.n), 1), space, codes);
}
#endif

//---- select: one launch [LONG_ROWS]
/* ONE LAUNCH does all STEPS for long rows. It reads the rows, and ranks their candidates. Rows that
   fail get a second sample, and are read and ranked again. The passes select from rows that fail
   again. A step is many pieces of work, for example one for each part of each row. All pieces of
   all steps are numbered, one step after the other. Work-groups draw numbers from a counter in the
   table of row 0, which clsort_select_begin has cleared. */
/* The steps. From STEP_PASSES on there is a step for each pass, and one more, as the last pass may
   leave elements to collect; then a step that sorts rows. The pieces of a step have the numbers
   first ... first + size - 1. */
enum { STEP_READS, STEP_RANKS, STEP_SAMPLES, STEP_READS_AGAIN, STEP_RANKS_AGAIN, STEP_PASSES };
typedef struct { uint step, first, size; } step_t;
typedef struct { uint parts, part_elements, ranges, clusters, wanted; } long_rows_t;

/* The step after `at`, and its numbers. */
INLINE step_t next_step(select_t s, long_rows_t l, step_t at)
{
    const uint step = at.step + 1,
               of_row = step == STEP_SAMPLES || step > STEP_PASSES + s.passes ? 1
                        : step == STEP_RANKS || step == STEP_RANKS_AGAIN ? l.ranges
                                                                                       : l.parts;
    const step_t next = { step, at.first + at.size, s.rows * of_row };
    return next;
}

//---- select: steps of one launch [LONG_ROWS]
/* Waits until all pieces of all steps before `at` are done. Returns 0 if no work is left: no row
   has failed, or, from STEP_PASSES on, none has failed twice. Then all work-groups end and leave
   the remaining numbers undone. So it may not wait for all steps before it knows that they will be
   done: it waits first for STEP_RANKS, then for STEP_RANKS_AGAIN. once: the pieces of the first two
   steps together. Called by all. */
INLINE uint wait_for_step(global uint *head, step_t at, uint once, uint rows)
{
    if (at.step >= STEP_SAMPLES) {
        wait_until_done(head + ROW_NUMBERS, once);
        if (head[ROW_ANY_FAILED] < 1)
            return 0;
    }
    if (at.step >= STEP_PASSES) {
        wait_until_done(head + ROW_NUMBERS, 2 * once + rows);
        if (head[ROW_ANY_FAILED] < 2)
            return 0;
    }
    wait_until_done(head + ROW_NUMBERS, at.first);
    return 1;
}

/* Does piece i of a step. Local memory as for clsort_select_long. Called by all. */
INLINE void do_step(select_t s, tables_t t, output_t out, long_rows_t l, uint step, uint i,
                    local uint *space, local code_t *codes, local ulong *lists)
{
    const uint rows_step = step == STEP_SAMPLES || step > STEP_PASSES + s.passes,
               ranks = step == STEP_RANKS || step == STEP_RANKS_AGAIN,
               again = step > STEP_RANKS;
    const row_part_t p = open_row_part(
        t, row_part(s, ranks ? i / l.ranges : i, ranks || rows_step ? 1 : l.parts,
                    ranks || rows_step ? s.n : l.part_elements),
        step >= STEP_PASSES ? 2 : again);
    if (ranks)
        rank_share(s, t, out, p.row, i % l.ranges, l.ranges, again, lists);
    else if (step == STEP_READS || step == STEP_READS_AGAIN)
        read_row_part(s, t, p, lists);
    else if (step == STEP_SAMPLES)
        sample_row(s, t, p, l.clusters, l.wanted, 1, lists);
    else if (rows_step)
        sort_row(s, t, out, p, space, codes);
    else
        pass_over(s, t, p, space, step - STEP_PASSES);
}

/* Does all steps. memory: as `space` of clsort_select_rank. The same memory also serves the passes,
   with what clsort_select_rows needs: the codes, rounded up to 8 bytes, then the words of
   `space`. */
CLSORT_KERNEL void clsort_select_long(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,
                                      uint ranges, uint clusters, uint wanted, local ulong *memory)
{
    const select_t s = CLSORT_SELECT;
    const output_t out = CLSORT_OUTPUT;
    const tables_t t = CLSORT_TABLES;
    local code_t *codes = (local code_t *)memory;
    local uint *space = (local uint *)(memory + (list_capacity * CLSORT_KEY_BYTES + 7) / 8);
    const long_rows_t l = { parts, part_elements, ranges, clusters, wanted };
    const uint last = STEP_PASSES + passes + 1;
    global uint *head = row_words_of(t, 0);
    step_t at = { STEP_READS, 0, rows * parts };
    uint drawn = rows ? draw_ahead(head + ROW_NUMBERS) : 0;
    while (rows) {
        group_sync();
        const uint number = share_number(drawn, space);
        group_sync();
        while (number - at.first >= at.size && at.step <= last)
            at = next_step(s, l, at);
        if (at.step > last)
            break;
        if (!wait_for_step(head, at, rows * (parts + ranges), rows))
            break;
        do_step(s, t, out, l, at.step, number - at.first, space, codes, memory);
        if (!CLSORT_BRANCH_BARRIERS)
            group_sync();   /* else with PoCL 3.1 all work-items write where 0 should */
        drawn = draw_ahead(head + ROW_NUMBERS);   /* in flight during the fence */
        tell_done(head + ROW_NUMBERS, 1);
    }
}

//---- select: scattered results [SELECT]
/* The number of taken elements in the parts of the row before this part: the sum of the numbers
   that the last pass has tallied. Called by all work-items; the sums are free again when it
   returns. */
INLINE uint tallied_before(select_t s, row_part_t p, global const uint *row,
                           local uint *sums)
{
    uint before = 0;
    for (uint q = local_id(); q < (p.row < s.rows ? p.part : 0); q += CLSORT_GROUP)
        before += row[CLSORT__ROW_LIST + q];
    group_scan_total(before, sums, &before);
    return before;
}

/* Writes element i of the row if it is wanted. place: how many elements before element i are taken,
   which is where it goes if it is taken; nth: the index of a partition's k-th element. Returns 1 if
   element i is taken. */
INLINE uint scatter_element(select_t s, row_part_t p, select_range_t r, output_t out,
                            uint i, uint place, uint nth)
{
    const uint taken = is_taken(s, r, select_code(s, p, i), i),
               to = taken      ? place
                    : i == nth ? s.k - 1
                               : s.k + (i - place) - (nth < i);
    if (taken ? to < s.k : s.select_mode == CLSORT__SELECT_PARTITION)
        write_element(s, p, out, to, i);
    return taken;
}

/* Writes the first k elements of a row, in the row's order. Of a partition, it writes all elements
   in their new order: those that come before the k-th, then the k-th, then the others; the first
   and the last group keep the row's order. The last pass has counted the taken elements of each
   part, and found the k-th. Results behind the row's length get the index 0xFFFFFFFF. Each
   work-item takes CLSORT_VISITS consecutive elements at a time. */
CLSORT_KERNEL void clsort_select_scatter(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,
                                         local uint *sums)
{
    const select_t all = CLSORT_SELECT,
                   s = select_from_row(all, (uint)get_group_id(0) / parts);
    const output_t out = CLSORT_OUTPUT;
    const tables_t t = CLSORT_TABLES;
    const row_part_t p = find_row_part(s, parts, part_elements);
    const uint exists = p.row < s.rows, parted = s.select_mode == CLSORT__SELECT_PARTITION;
    global const uint *row = row_words_of(t, exists ? p.row : 0);
    const select_range_t r = exists ? load_range(row, s.passes) : whole_range(s);
    const uint nth = exists ? row[ROW_COLLECTED] : 0,
               marks = !exists || p.part ? 0 : parted ? all.n : s.asked;
    uint before = tallied_before(s, p, row, sums), total;
    for (size_t chunk = p.first; chunk < p.end; chunk += CLSORT_GROUP * CLSORT_VISITS) {
        const size_t first = chunk + local_id() * CLSORT_VISITS,
                     end = min(first + CLSORT_VISITS, (size_t)p.end);
        uint taken = 0;
        for (size_t i = first; i < end; i++)
            taken += is_taken(s, r, select_code(s, p, i), (uint)i);
        uint place = before + group_scan_total(taken, sums, &total);
        for (uint i = (uint)first; i < end; i++)
            place += scatter_element(s, p, r, out, i, place, nth);
        before += total;
    }
    for (uint i = (parted ? s.n : s.k) + local_id(); i < marks; i += CLSORT_GROUP)
        write_element(s, p, out, i, 0xFFFFFFFFu);
}

//---- is_sorted [UTILITY]
/* The element that stands at place i of the sorted order, if i lies in segment `own`: with
   by_index = 1, the element that the segment's index at place i refers to; else element i itself.
   apart: if not 0, bytes from one row of indices to the next one. */
INLINE uint ordered_element(segments_t s, segment_t own, global const uchar *indices,
                            uint by_index, ulong apart, uint i)
{
    return own.begin
           + ordered_place(indices + (by_index ? element_at(s, own, own.begin, 4, apart) : 0),
                           by_index, i - own.begin, own.size);
}

/* Lowers *result to the number of the first element that comes before its predecessor in its
   segment. With `strict`, which needs by_index, equal elements must also have ascending indices. If
   the offsets do not ascend, lowers *result to 0. */
CLSORT_KERNEL void clsort_is_sorted(global const uchar *records, ulong records_at,
                                    global const uchar *indices, ulong indices_at,
                                    global uchar *result, ulong result_at, CLSORT_SEGMENT_ARGS,
                                    uint n, uint by_index, uint strict, ulong element, ulong apart,
                                    ulong indices_apart, ulong8 packed, uint field_count)
{
    const segments_t s = CLSORT_SEGMENTS;
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    for (ulong k = i; k < s.segments; k += n)
        if (segment_descends(s, (uint)k))
            atomic_min((volatile global uint *)(result + result_at), 0);
    const segment_t own = segment_around(s, i);
    if (own.size < 2 || i - own.begin >= own.size - 1)
        return;
    const uint x = ordered_element(s, own, indices + indices_at, by_index, indices_apart, i),
               y = ordered_element(s, own, indices + indices_at, by_index, indices_apart, i + 1);
    const uint order = compare_fields(records + records_at + element_at(s, own, x, element, apart),
                                      records + records_at + element_at(s, own, y, element, apart),
                                      packed, field_count);
    if (order & 1 || (order == KEYS_EQUAL && strict && y <= x))
        atomic_min((volatile global uint *)(result + result_at), i + 1);
}

//---- proof [UTILITY]
/* Mixes 64 bits thoroughly. Source: the finaliser of S. Vigna's splitmix64 (public domain
   constants). */
INLINE ulong mix(ulong x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBUL;
    return x ^ x >> 31;
}

/* Mixes bytes into a hash, one by one. */
INLINE ulong mix_bytes(ulong hash, global const uchar *data, ulong bytes)
{
    for (ulong b = 0; b < bytes; b++)
        hash = mix(hash + data[b]);
    return hash;
}

/* Adds up hashes of the elements in segments. sums[0 .. 1]: the hashes of elements, of `bytes`
   bytes each. sums[2 .. 3]: the hashes of elements with their values, of value_bytes bytes; with
   by_index = 1, value i belongs to the element that index i refers to. Sums do not depend on the
   order of elements. But the start of a segment goes into the hashes of its elements, so an element
   that has left its segment changes the sums. Each work-item takes every step-th element. */
CLSORT_KERNEL void clsort_fingerprint(global const uchar *elements, ulong elements_at,
                                      global const uchar *values, ulong values_at,
                                      global const uchar *indices, ulong indices_at,
                                      global uchar *sums, ulong sums_at, CLSORT_SEGMENT_ARGS,
                                      uint n, uint by_index, ulong bytes, ulong value_bytes,
                                      ulong apart, ulong values_apart, ulong indices_apart,
                                      uint step)
{
    const segments_t s = CLSORT_SEGMENTS;
    uint own_sums[4] = { 0, 0, 0, 0 };
    for (ulong at = get_global_id(0); at < n; at += step) {
        const uint i = (uint)at;
        const segment_t own = segment_around(s, i);
        if (own.size == 0)
            continue;
        const uint from = ordered_element(s, own, indices + indices_at, by_index, indices_apart, i);
        const ulong element = elements_at + element_at(s, own, from, bytes, apart),
                    value = values_at + element_at(s, own, i, value_bytes, values_apart);
        const ulong start = 0x9E3779B97F4A7C15UL + mix(own.begin),
                    hash = mix_bytes(start, elements + element, bytes),
                    pair = mix_bytes(hash, values + value, value_bytes);
        own_sums[0] += (uint)hash;
        own_sums[1] += (uint)(hash >> 32);
        own_sums[2] += (uint)pair;
        own_sums[3] += (uint)(pair >> 32);
    }
    for (uint k = 0; k < 4; k++)
        atomic_add((volatile global uint *)(sums + sums_at) + k, own_sums[k]);
}

/* Checks by hashes that the indices of each segment are a permutation of its elements. For every
   element i in a segment, it adds to sums[0 .. 1] the hash of the element number that the segment's
   index at i refers to, and subtracts the hash of i. So the sums are 0 for permutations; for other
   indices they are hardly ever 0. */
CLSORT_KERNEL void clsort_fingerprint_indices(global const uchar *indices, ulong indices_at,
                                              global uchar *sums, ulong sums_at,
                                              CLSORT_SEGMENT_ARGS, uint n, ulong apart, uint step)
{
    const segments_t s = CLSORT_SEGMENTS;
    uint difference[2] = { 0, 0 };
    for (ulong i = get_global_id(0); i < n; i += step) {
        const segment_t own = segment_around(s, (uint)i);
        if (own.size == 0)
            continue;
        const uint index = *(global const uint *)(indices + indices_at
                                                  + element_at(s, own, (uint)i, 4, apart));
        const ulong is = mix(index + 1UL + own.begin), should = mix(i + 1);
        difference[0] += (uint)is - (uint)should;
        difference[1] += (uint)(is >> 32) - (uint)(should >> 32);
    }
    volatile global uint *sum = (volatile global uint *)(sums + sums_at);
    for (uint k = 0; k < 2; k++)
        atomic_add(&sum[k], difference[k]);
}
