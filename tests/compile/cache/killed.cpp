// tests/compile/cache/killed.cpp - 16 processes on one cache, killed at random.
// SPDX-License-Identifier: MIT
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/random.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include "../../laws/compiler.hpp"
#include "../../support/cache_folder.hpp"

using attune_test::cache_folder;

namespace {

std::string key_of(unsigned number)
{
    return attune::detail::content_hash{}.add(std::to_string(number)).hex();
}

/// What is kept under a number; from a few bytes to some pages.
std::string bytes_of(unsigned number)
{
    std::string bytes;
    while (bytes.size() < 30 * (number % 500))
        bytes += key_of(number);
    return bytes + std::to_string(number);
}

std::int64_t now_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// Looks and adds for ever.  @return  only on a wrong answer
void use_cache(attune::cache_options const& options, std::string const& header, unsigned seed)
{
    attune::detail::object_cache const cache(options);
    attune::random_engine random(seed);
    for (;;) {
        auto const number = static_cast<unsigned>(attune::uniform_below(random, 300));
        auto const found = cache.find(key_of(number));
        if (found && found->bytes != bytes_of(number)) return;
        if (!found) (void)cache.add(key_of(number), bytes_of(number), {{header}, {}, {}, now_ns()});
    }
}

/// Keeps 16 children busy and kills one after the other.  @return  how many ended by themselves
int kill_at_random(double duration_s, double pause_s, std::function<void(unsigned)> const& work)
{
    using clock = std::chrono::steady_clock;
    unsigned seed = 1;
    auto const start_child = [&] {
        pid_t const child = ::fork();
        if (child != 0) {
            ++seed;
            return child;
        }
        work(seed);
        ::_exit(1);
    };
    std::vector<pid_t> children;
    for (int i = 0; i < 16; ++i)
        children.push_back(start_child());
    int wrong = 0;
    attune::random_engine random(7);
    auto const end = [&](pid_t child) {
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) ++wrong;
    };
    clock::time_point const stop = clock::now() + std::chrono::duration_cast<clock::duration>(
                                                      std::chrono::duration<double>(duration_s));
    while (clock::now() < stop) {
        std::this_thread::sleep_for(std::chrono::duration<double>(pause_s));
        pid_t& victim = children[attune::uniform_below(random, children.size())];
        end(victim);
        victim = start_child();
    }
    for (pid_t const child : children)
        end(child);
    return wrong;
}

} // namespace

TEST_CASE("16 processes that are killed at random leave a cache that gives no wrong answer")
{
    cache_folder const folder;
    std::string const header = folder.write("a.hpp", "int a;\n");
    attune::cache_options const options = folder.options(1 << 20); // evicts all the time
    CHECK(kill_at_random(2.0, 0.01, [&](unsigned seed) { use_cache(options, header, seed); }) == 0);
    attune::detail::object_cache const cache(options);
    unsigned hits = 0;
    for (unsigned number = 0; number < 300; ++number)
        if (auto const found = cache.find(key_of(number))) {
            CHECK(found->bytes == bytes_of(number));
            ++hits;
        }
    CHECK(hits > 0);
    CHECK(cache.statistics().damaged == 0); // files appear whole or not at all
    REQUIRE(cache.add(key_of(1000), bytes_of(1000), {{header}, {}, {}, now_ns()}));
    std::uintmax_t bytes = 0;
    for (std::filesystem::path const& file : folder.files())
        bytes += std::filesystem::file_size(file);
    CHECK(bytes < 2 << 20);
}

TEST_CASE("processes that compile over one cache and are killed leave right code")
{
    if (!attune::clang_compiler().notice().empty()) {
        MESSAGE("skipped: " << attune::clang_compiler().notice());
        return;
    }
    cache_folder const folder;
    attune::clang_options options{.flags = {"-O1"}, .cache = folder.options()};
    auto const value = [&](unsigned factor) {
        auto const made = attune::clang_compiler(options).compile(
            attune_laws::scaled_sum_source(),
            attune_laws::scaled_sum_variant(std::to_string(factor)));
        auto const* const code = std::get_if<attune::callable>(&made);
        return code != nullptr ? attune_laws::scaled_sum_of_1_2_3(*code) : 0.0;
    };
    CHECK(kill_at_random(3.0, 0.1, [&](unsigned seed) {
              for (unsigned i = seed;; i = i % 12 + 1)
                  if (value(i % 12 + 1) != 6.0 * (i % 12 + 1)) return;
          }) == 0);
    for (unsigned factor = 1; factor <= 12; ++factor)
        CHECK(value(factor) == 6.0 * factor);
}
