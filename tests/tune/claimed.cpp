// tests/tune/claimed.cpp - one process tunes a problem; the others wait for it, or are sent what it found.
// SPDX-License-Identifier: MIT
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;

namespace {

/// Another process that tunes, and is in the middle of it when this object is made.
class tuner_beside {
public:
    /// @param at_second  called at its second evaluation, after this object is made
    tuner_beside(std::string const& path, std::function<void()> const& at_second)
    {
        int pipe[2];
        REQUIRE(::pipe(pipe) == 0);
        child_ = ::fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            attune::store store{path};
            installation<attune::store> one{
                store, ways<usual, fast, crawling>(), [&](attune::tuning_options& o) {
                    o.progress = [&](attune::progress const& p) {
                        if (p.event != attune::progress_event::evaluated || p.evaluation != 2)
                            return;
                        if (::write(pipe[1], "", 1) != 1) ::_exit(3);
                        at_second();
                    };
                }};
            ::_exit(one.obtain() == fast_code ? 0 : 4);
        }
        char byte = 0;
        REQUIRE(::read(pipe[0], &byte, 1) == 1);
        ::close(pipe[0]);
        ::close(pipe[1]);
    }
    tuner_beside(tuner_beside const&) = delete;
    tuner_beside& operator=(tuner_beside const&) = delete;
    ~tuner_beside()
    {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
    }
    int status()
    {
        int out = -1;
        ::waitpid(std::exchange(child_, -1), &out, 0);
        return out;
    }

private:
    ::pid_t child_ = -1;
};

} // namespace

TEST_CASE("what another process is tuning is waited for, and then served")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    tuner_beside other{path, [] {
                           timespec const pause{0, 300'000'000};
                           ::nanosleep(&pause, nullptr);
                       }};
    attune::store store{path};
    installation<attune::store> one{store, ways<usual, fast, crawling>()};
    CHECK(one.obtain() == fast_code);
    CHECK(other.status() == 0);
    CHECK(one.how() == decision::remembered);
    CHECK(one.compiler.compiled() == std::vector<std::string>{"WAY=1"});
    auto const said = notices_but_noise(one.known.report());
    REQUIRE(said.size() == 1);
    CHECK(said[0].starts_with("waited "));
    CHECK(said[0].ends_with(" for another process that tuned this problem"));
    CHECK(has(one.heard.texts(attune::progress_event::notice), "waiting for it, 30 s at most"));
}

TEST_CASE("one that does not get on is not waited for longer than a tuning may take")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    tuner_beside other{path, [] { ::raise(SIGSTOP); }};
    attune::store store{path};
    installation<attune::store> one{
        store, ways<usual, fast, crawling>(),
        [](attune::tuning_options& o) { o.limits = {.evaluations = 3, .seconds = 0.5}; }};
    static_cast<void>(one.obtain());
    CHECK(one.known.report().evaluations >= 2); // those that the other one was told
    auto const said = notices_but_noise(one.known.report());
    REQUIRE(!said.empty());
    CHECK(said[0].starts_with("another process still tunes this problem after "));
}

TEST_CASE("a claim ends with the process that has it")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    tuner_beside other{path, [] { ::raise(SIGKILL); }};
    CHECK(WIFSIGNALED(other.status()));
    attune::store store{path};
    installation<attune::store> one{store, ways<usual, fast, crawling>()};
    CHECK(one.call() == obtained{fast_code, decision::tuned});
    CHECK(notices_but_noise(one.known.report()) == continuing("an interrupted", 2));
}

namespace {

/// All that comes through a pipe until its other end is closed.
std::string all_of(int pipe)
{
    std::string out;
    char block[4096];
    for (::ssize_t got = 0; (got = ::read(pipe, block, sizeof block)) > 0;)
        out.append(block, static_cast<std::size_t>(got));
    return out;
}

} // namespace

TEST_CASE("all ranks of a job install what the first one found, and measure nothing")
{
    support::scratch_directory const directory;
    constexpr int ranks = 4;
    int to_rank[ranks][2];
    std::vector<::pid_t> children;
    for (int rank = 1; rank < ranks; ++rank) {
        REQUIRE(::pipe(to_rank[rank]) == 0);
        ::pid_t const child = ::fork(); // before anything of attune runs here, as mpirun does
        REQUIRE(child >= 0);
        if (child == 0) {
            ::alarm(60);
            for (int other = 1; other <= rank; ++other)
                ::close(to_rank[other][1]);
            auto sent = attune::memory_store::from_text(all_of(to_rank[rank][0]));
            time_script const nothing_is_timed;
            memory_installation one{sent, ways<usual, fast, crawling>(),
                                    [&](attune::tuning_options& o) {
                                        if (rank != 2) o.on_miss = attune::miss_policy::lookup_only;
                                    },
                                    &nothing_is_timed}; // a bench of which throws
            if (one.obtain() != fast_code) ::_exit(2);
            if (one.how() != decision::remembered) ::_exit(3);
            if (one.known.report().evaluations != 0) ::_exit(4);
            ::_exit(one.compiler.compiled() == std::vector<std::string>{"WAY=1"} ? 0 : 5);
        }
        children.push_back(child);
    }
    std::string const path = directory.file("store");
    {
        attune::store store{path};
        installation<attune::store> first{store, ways<usual, fast, crawling>()};
        CHECK(first.call() == obtained{fast_code, decision::tuned});
    }
    std::string const text = attune::store{path}.text();
    for (int rank = 1; rank < ranks; ++rank) {
        ::close(to_rank[rank][0]);
        REQUIRE(::write(to_rank[rank][1], text.data(), text.size()) ==
                static_cast<::ssize_t>(text.size()));
        ::close(to_rank[rank][1]);
    }
    for (::pid_t const child : children) {
        int status = -1;
        CHECK(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
}
