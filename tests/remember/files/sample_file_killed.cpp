// tests/remember/files/sample_file_killed.cpp - 60 writers of one file, most of them killed.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/remember/files/sample_file.hpp>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../support/scratch_directory.hpp"

namespace {

constexpr std::size_t writers = 60;
constexpr std::uint32_t lines_of_survivors = 100;
using line_count = std::atomic<std::uint32_t>;

/// Every tenth writer lives; the others write until they are killed, or the file is full.
bool is_survivor(std::size_t writer) { return writer % 10 == 9; }

/// Appends numbered lines, from when `gate` is closed on.
[[noreturn]] void write_lines(std::string const& path, std::size_t writer, line_count& told,
                              int const (&gate)[2])
{
    ::close(gate[1]);
    char nothing = 0;
    if (::read(gate[0], &nothing, 1) != 0) ::_exit(4);
    for (int const signal : {SIGABRT, SIGSEGV, SIGTERM, SIGINT})
        std::signal(signal, SIG_DFL);
    attune::detail::sample_file file(path, "killed");
    for (std::uint32_t i = 0; !is_survivor(writer) || i < lines_of_survivors; ++i) {
        // Sometimes longer than a page.
        std::string const filling((i * 37 + writer * 101) % 300 + (i % 50 == 7 ? 5'000 : 0), 'x');
        file.add(std::to_string(writer) + ':' + std::to_string(i) + '\t' + filling + '\n');
        if (!file.problem().empty()) ::_exit(3); // another one kept the lock: not written
        told.store(i + 1, std::memory_order_release);
    }
    ::_exit(0);
}

} // namespace

TEST_CASE("of 60 writers that are killed every line that was said to be written is read")
{
    auto const [folder, path] = support::scratch_file("samples");
    std::size_t const bytes = writers * sizeof(line_count);
    void* const shared =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    auto* const told = static_cast<line_count*>(shared);
    int gate[2];
    REQUIRE(::pipe(gate) == 0);
    std::vector<::pid_t> children;
    for (std::size_t w = 0; w < writers; ++w) {
        ::pid_t const child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) write_lines(path, w, told[w], gate);
        children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    // At random moments.
    attune::random_engine engine(11);
    for (std::size_t w = 0; w < writers; ++w) {
        if (is_survivor(w)) continue;
        std::timespec const pause{0, static_cast<long>(attune::uniform_below(engine, 8'000'000))};
        ::nanosleep(&pause, nullptr);
        ::kill(children[w], SIGKILL);
    }
    std::size_t killed = 0;
    for (::pid_t const child : children) {
        int status = 0;
        CHECK(::waitpid(child, &status, 0) == child);
        bool const was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        CHECK((was_killed || WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3));
        killed += was_killed ? 1U : 0U;
    }
    CHECK(killed > 0);
    attune::detail::sample_file file(path, "killed");
    std::string const text = file.last(1'000'000);
    CHECK(file.problem().empty());
    std::set<std::string_view> names;
    std::size_t count = 0;
    for (std::string_view rest = text; !rest.empty(); ++count) {
        std::string_view const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        names.insert(line.substr(0, line.find('\t')));
    }
    CHECK(names.size() == count); // none twice
    std::size_t lost = 0;
    std::size_t kept = 0;
    for (std::size_t w = 0; w < writers; ++w)
        for (std::uint32_t i = 0; i < told[w].load(std::memory_order_acquire); ++i)
            names.contains(std::to_string(w) + ':' + std::to_string(i)) ? ++kept : ++lost;
    ::munmap(shared, bytes);
    CHECK(lost == 0);
    CHECK(kept > 0);
    // Whoever was killed had at most the line in hand.
    CHECK(count <= kept + killed);
}
