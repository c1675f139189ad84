/* peer.h - what the peer programs share. A peer is a sort, clsort's own among them, given the same
   bytes as the others and checked like them.

     PROGRAM                                               lists the peers in it, one per line
     PROGRAM PEER TYPE VALUE_BYTES N ROWS RUNS FILE [K]    takes a turn
     PROGRAM -                                             takes the turn that each line of standard
                                                           input asks for by these words

   In a turn PEER sorts ROWS arrays of N keys each, RUNS times. FILE holds the arrays, one after the
   other. TYPE is u32, i32, f32, u64, i64 or f64. If VALUE_BYTES is 4 or 8, not 0, each key has a
   value: its index. With K it selects the K largest keys of each row instead, in any order, with
   their indices if VALUE_BYTES is 4. Every run is checked.

   A turn prints two things:
   - the median time of a run in milliseconds. The time goes from the call to the sorted arrays.
     Copies to and from a device are not in it. Neither are the runs before: one, or in the first
     turn of a peer as many as take 50 ms.
   - a sum over the input. It is the same for all peers that read the same bytes.

   Exit codes: 0 done, 1 a wrong result, 2 wrong usage, 3 this peer cannot do that here. Messages go
   to standard error. With `-` each turn has a line of standard output: its code, then the result or
   the message. A program keeps what it has read for its next turn, so another content needs another
   file name.

   A program defines peer_load, and calls peer_main. If it selects, it defines PEER_SELECTS before
   this is included, and peer_load_selection; see select.h. */

#ifndef CLSORT_TOOLS_PEER_H
#define CLSORT_TOOLS_PEER_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { TURN_DONE, TURN_WRONG, TURN_USAGE, TURN_UNAVAILABLE };

/* What a peer throws that cannot do what is asked for. */
struct unavailable : std::runtime_error {
    explicit unavailable(const std::string &why) : std::runtime_error(why) {}
};

struct wrong_usage : std::runtime_error {
    explicit wrong_usage(const std::string &why) : std::runtime_error(why) {}
};

class stopwatch {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
public:
    double ms() const
    {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    }
};

/* The input of a turn. */
struct cell {
    std::string type;
    peer_shape shape;
    size_t rows;
    size_t k;           /* how many of each row are selected; 0: rows are sorted */
    const void *keys;   /* shape.count of them */
};

/* A cell where a program can sort it. */
class loaded {
public:
    virtual ~loaded() {}
    virtual void choose(const std::string &peer) = 0;   /* may throw unavailable, as may run */
    virtual double run() = 0;                           /* sorts by the peer chosen; milliseconds */
    virtual peer_sums input_sums() = 0;
    virtual peer_sums result_sums() = 0;                /* of the last run */
};

/* Adds up what the work-items of a check return. */
static inline peer_sums add_up(const peer_sums *parts, size_t count)
{
    peer_sums all = { 0, 0, 0 };
    for (size_t i = 0; i < count; i++) {
        all.faults += parts[i].faults;
        all.first += parts[i].first;
        all.second += parts[i].second;
    }
    return all;
}

/* The caller deletes it. May throw unavailable. */
static loaded *peer_load(const cell &c);
#ifdef PEER_SELECTS
static loaded *peer_load_selection(const cell &c);
#else
static inline loaded *peer_load_selection(const cell &)
{
    throw unavailable("it does not select");
}
#endif

/* A file in memory. */
class mapping {
    mapping(const mapping &);
    mapping &operator=(const mapping &);
    size_t bytes;
public:
    void *data;
    mapping(const std::string &path, size_t size) : bytes(size), data(MAP_FAILED)
    {
        struct stat facts;
        const int file = open(path.c_str(), O_RDONLY);
        const bool there = file >= 0 && !fstat(file, &facts);
        if (there && (size_t)facts.st_size == bytes)
            data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
        if (file >= 0) close(file);
        if (data == MAP_FAILED)
            throw wrong_usage(path + (there ? ": is not of that size" : ": cannot be read"));
    }
    ~mapping() { munmap(data, bytes); }
};

/* The words of a turn. */
struct order {
    std::string peer, type, file;
    unsigned value_bytes;
    size_t n, rows, k;
    int runs;

    explicit order(const std::string &words, const char *const *names)
        : value_bytes(1), n(0), rows(0), k(0), runs(0)
    {
        std::istringstream in(words);
        std::string more;
        in >> peer >> type >> value_bytes >> n >> rows >> runs >> file;
        while (*names && peer != *names) names++;
        const bool whole = !in.fail();
        if (!(in >> k)) k = 0;
        in.clear();
        if (!whole || in >> more || !*names || type.size() != 3 || !strchr("uif", type[0])
            || (type.substr(1) != "32" && type.substr(1) != "64")
            || (value_bytes != 0 && value_bytes != 4 && value_bytes != 8) || n < 1 || rows < 1
            || runs < 1)
            throw wrong_usage("usage: PROGRAM [-|PEER u32|i32|f32|u64|i64|f64 0|4|8 N ROWS RUNS "
                              "FILE [K]]");
    }

    cell input(const void *keys) const
    {
        const unsigned key_bytes = type[1] == '6' ? 8 : 4;
        const unsigned kind = type[0] == 'u' ? 0 : type[0] == 'i' ? 1 : 2;
        const peer_shape shape = { n, n * rows, key_bytes, value_bytes, kind, 0 };
        return { type, shape, rows, k, keys };
    }

    bool loads_the_same_as(const order &other) const
    {
        return type == other.type && file == other.file && value_bytes == other.value_bytes
               && n == other.n && rows == other.rows && k == other.k;
    }
};

/* Takes one turn after the other. */
class player {
    std::unique_ptr<order> last;
    std::unique_ptr<mapping> file;
    std::unique_ptr<loaded> data;
    std::set<std::string> warm;   /* peers that have had a turn with this data */
    peer_sums wanted;

    void load(const order &o)
    {
        if (data && last->loads_the_same_as(o)) return;
        data.reset();
        file.reset();
        warm.clear();
        const peer_shape shape = o.input(NULL).shape;
        file.reset(new mapping(o.file, shape.count * shape.key_bytes));
        data.reset(o.k ? peer_load_selection(o.input(file->data))
                       : peer_load(o.input(file->data)));
        wanted = data->input_sums();
        last.reset(new order(o));
    }

    /* Adds the time of a run; is its result right? */
    bool run(std::vector<double> &times)
    {
        times.push_back(data->run());
        const peer_sums sums = data->result_sums();
        return !sums.faults && sums.first == wanted.first && sums.second == wanted.second;
    }

    bool run_all(const order &o, std::vector<double> &times)
    {
        std::vector<double> unused;
        const stopwatch watch;
        const bool is_first = warm.insert(o.peer).second;
        do
            if (!run(unused)) return false;
        while (is_first && watch.ms() < 50);
        for (int i = 0; i < o.runs; i++)
            if (!run(times)) return false;
        return true;
    }

public:
    /* Returns an exit code; text: the result or a message. */
    int turn(const std::string &words, const char *const *names, std::string &text)
    {
        try {
            const order o(words, names);
            std::vector<double> times;
            char line[64];
            load(o);
            data->choose(o.peer);
            text = o.peer + ": wrong result";
            if (!run_all(o, times)) return TURN_WRONG;
            std::sort(times.begin(), times.end());
            snprintf(line, sizeof line, "%.6f %016llx",
                     (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2,
                     (unsigned long long)wanted.first);
            text = line;
            return TURN_DONE;
        } catch (const wrong_usage &problem) {
            text = problem.what();
            return TURN_USAGE;
        } catch (const std::exception &problem) {
            text = problem.what();
            return TURN_UNAVAILABLE;
        }
    }
};

/* names ends with NULL. */
static int peer_main(int count, char **words, const char *const *names)
{
    player p;
    std::string line, text;
    if (count == 1) {
        for (; *names; names++) puts(*names);
        return 0;
    }
    if (count == 2 && !strcmp(words[1], "-")) {
        while (std::getline(std::cin, line)) {
            const int code = p.turn(line, names, text);
            std::replace(text.begin(), text.end(), '\n', ' ');
            std::cout << code << ' ' << text << std::endl;
        }
        return 0;
    }
    for (int i = 1; i < count; i++) line += std::string(words[i]) + " ";
    const int code = p.turn(line, names, text);
    (code == TURN_DONE ? std::cout : std::cerr) << text << std::endl;
    return code;
}

#endif
