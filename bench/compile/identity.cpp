// bench/compile/identity.cpp - code from a cache against a compilation from nothing, while files change at random.
// SPDX-License-Identifier: MIT
//
// bench.compile.identity [--rounds N]
//
// One round compiles a kernel of some files, folders and variables twice: by a compiler with a
// cache, and by a new one without. Before it, one to three things may change
// (tests/support/changing_files). Last line: rounds, rounds whose results differed, and the median
// time in ms in which a new compiler finds, checks and loads the winner of a kernel that includes
// <algorithm> and <vector>.
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../../tests/support/cache_folder.hpp"
#include "../../tests/support/changing_files.hpp"
#include "../support/arguments.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

struct counts {
    std::uint64_t rounds = 0, stale = 0, hits = 0;
};

attune::clang_compiler clang_with(attune::cache_options cache)
{
    attune::clang_options options;
    options.flags = {"-O0", "-std=c++20"};
    options.cache = std::move(cache);
    return attune::clang_compiler(options);
}

/// Plays `rounds` rounds.  @param by_system  the machine's compiler has the cache
counts play(std::uint64_t seed, std::uint64_t rounds, bool by_system)
{
    attune_test::cache_folder const kept;
    attune_test::changing_files world(seed);
    auto const clang = [&] { return clang_with(kept.options()); };
    auto const system = [&] {
        attune::system_options options;
        options.flags = {"-O0", "-std=c++20"};
        options.cache = kept.options();
        return attune::system_compiler(options);
    };
    attune::clang_compiler one = clang();
    attune::system_compiler other = system();
    counts out;
    while (out.rounds < rounds) {
        std::string changed;
        for (std::uint64_t n = world.below(3) == 0 ? 1 + world.below(3) : 0; n > 0; --n)
            changed += world.change() + "; ";
        if (world.below(8) == 0) { // as in a new process
            one = clang();
            other = system();
        }
        // A file that changed less than 20 ms ago is not trusted: then nothing would be kept.
        if (world.below(8) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(40));
        attune::kernel_source const kernel = world.kernel(world.below(4) != 0);
        attune::compile_request const v = world.variant();
        attune::compile_result const got =
            by_system ? other.compile(kernel, v) : one.compile(kernel, v);
        long const right = attune_test::value_of(clang_with({.enabled = false}).compile(kernel, v));
        ++out.rounds;
        if (auto const* const code = std::get_if<attune::callable>(&got); code && code->from_cache)
            ++out.hits;
        if (attune_test::value_of(got) == right) continue;
        ++out.stale;
        std::printf("stale: seed %llu, round %llu, %ld for %ld, after %s\n",
                    static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(out.rounds), attune_test::value_of(got), right,
                    changed.c_str());
        std::fflush(stdout);
    }
    return out;
}

/// The median of 51 new compilers, in ms.
double warm_ms()
{
    attune_test::cache_folder const kept;
    attune::kernel_source const kernel = attune::source_text(
        "#include <algorithm>\n#include <vector>\nlong f() { return std::max(1L, MORE + 1L); }\n",
        "k.cpp");
    attune::compile_request v = attune::variant_of<long()>("f");
    v.macros = {{"MORE", "1"}};
    attune::clang_options options;
    options.cache = kept.options();
    attune::clang_compiler const first(options);
    if (attune_test::value_of(first.compile(kernel, v)) != 2 || !first.keep_winner(kernel, v))
        return -1;
    std::vector<double> times;
    for (int i = 0; i < 51; ++i) {
        attune::clang_compiler const next(options);
        clock_type::time_point const begin = clock_type::now();
        bool const is_found = next.find_winner(kernel, v).has_value();
        times.push_back(
            std::chrono::duration<double, std::milli>(clock_type::now() - begin).count());
        if (!is_found) return -1;
    }
    std::nth_element(times.begin(), times.begin() + 25, times.end());
    return times[25];
}

int run(std::uint64_t rounds)
{
    if (!attune::clang_compiler().notice().empty()) {
        std::puts("the Clang module cannot be used");
        return 77;
    }
    double const warm = warm_ms();
    clock_type::time_point const begin = clock_type::now();
    // The current folder and the variables are the process's: each of two processes has its own.
    std::uint64_t const slice = 250;
    counts all;
    for (std::uint64_t done = 0, seed = 1; done < rounds; ++seed) {
        std::array<int, 2> pipes{};
        std::vector<std::pair<pid_t, int>> running;
        for (std::uint64_t k = 0; k < 2 && done < rounds; ++k) {
            std::uint64_t const part = std::min(slice, rounds - done);
            done += part;
            if (::pipe(pipes.data()) != 0) return 1;
            std::fflush(stdout);
            pid_t const child = ::fork();
            if (child == 0) {
                // One slice in 8 is that of the machine's compiler, of an eighth of the rounds.
                bool const by_system = (2 * seed + k) % 8 == 0;
                counts mine = play(2 * seed + k, by_system ? part / 8 : part, by_system);
                if (by_system) {
                    counts const rest = play(1'000'000 + 2 * seed + k, part - part / 8, false);
                    mine.rounds += rest.rounds;
                    mine.stale += rest.stale;
                    mine.hits += rest.hits;
                }
                std::fflush(stdout);
                bool const is_told = ::write(pipes[1], &mine, sizeof mine) == sizeof mine;
                std::_Exit(is_told ? 0 : 1);
            }
            ::close(pipes[1]);
            running.emplace_back(child, pipes[0]);
        }
        for (auto const& [child, from] : running) {
            counts part;
            bool const is_told = ::read(from, &part, sizeof part) == sizeof part;
            ::close(from);
            int status = 0;
            (void)::waitpid(child, &status, 0);
            if (!is_told || status != 0) {
                std::printf("a process ended with status %d\n", status);
                return 1;
            }
            all.rounds += part.rounds;
            all.stale += part.stale;
            all.hits += part.hits;
        }
        std::printf("%llu rounds, %llu from the cache, %llu stale, %.0f s\n",
                    static_cast<unsigned long long>(all.rounds),
                    static_cast<unsigned long long>(all.hits),
                    static_cast<unsigned long long>(all.stale),
                    std::chrono::duration<double>(clock_type::now() - begin).count());
        std::fflush(stdout);
    }
    std::printf("total rounds=%llu stale=%llu warm_ms=%.3f\n",
                static_cast<unsigned long long>(all.rounds),
                static_cast<unsigned long long>(all.stale), warm);
    return all.stale == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** words)
{
    return bench::exit_code_of(words[0], [&] {
        std::size_t rounds = 10'000;
        bench::read_arguments(count, words, {{"--rounds", &rounds}});
        return run(rounds);
    });
}
