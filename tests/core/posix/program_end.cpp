// tests/core/posix/program_end.cpp - exit() beside threads at work, in children of this program.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/program_end.hpp>

#include <atomic>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace attune::detail;

namespace {

/// Exit status of a child that runs `f`; -1 when a signal ended it.
int status_of(std::function<void()> const& f)
{
    pid_t const id = ::fork();
    if (id == 0) {
        ::alarm(20);
        f();
        ::_exit(99);
    }
    int status = 0;
    ::waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::atomic<bool> was_touched{false};

/// What is destroyed after exit() has waited.
void last_object() { ::_exit(was_touched ? 8 : 7); }

} // namespace

TEST_CASE("exit() waits until work of another thread stands still, and that stays so")
{
    CHECK(status_of([] {
              std::atexit(last_object);
              std::atomic<bool> has_begun{false};
              std::thread other([&] {
                  watch_program_end();
                  work_in_progress const work;
                  has_begun = true;
                  for (;;) {
                      ::usleep(200'000); // at work when exit() is called
                      pause_at_end();
                  }
              });
              while (!has_begun)
                  ::usleep(100);
              std::thread after([] {
                  while (!program_is_ending())
                      ::usleep(1000);
                  work_in_progress const never;
                  was_touched = true;
              });
              std::exit(0);
          }) == 7);
}

TEST_CASE("exit() does not wait for the thread that calls it, nor for ever")
{
    CHECK(status_of([] {
              std::atexit(last_object);
              watch_program_end();
              work_in_progress const mine;
              std::exit(0);
          }) == 7);
    CHECK(status_of([] {
              std::atexit(last_object);
              watch_program_end();
              std::atomic<bool> has_begun{false};
              std::thread other([&] {
                  work_in_progress const work;
                  has_begun = true;
                  for (;;)
                      ::pause(); // never looks
              });
              while (!has_begun)
                  ::usleep(100);
              std::exit(0);
          }) == 7);
}

TEST_CASE("work that a destructor begins while the program ends is refused")
{
    CHECK(status_of([] {
              std::atexit([] {
                  try {
                      work_in_progress const late;
                      ::_exit(8);
                  } catch (std::exception const&) {
                      ::_exit(7);
                  }
              });
              watch_program_end();
              std::exit(0);
          }) == 7);
}

TEST_CASE("only what may be cut is cut, and only when Ctrl-C asks for it")
{
    request_stop(true);
    CHECK(stop_is_requested());
    CHECK_NOTHROW(cut_here());
    {
        cuttable const here;
        CHECK_THROWS_AS(cut_here(), cut_short);
        std::thread([] { CHECK_NOTHROW(cut_here()); }).join();
        request_stop(false);
        CHECK_NOTHROW(cut_here());
    }
}

TEST_CASE("what may be cut is cut when its time is over, the shortest of several")
{
    CHECK_NOTHROW(cut_here());
    {
        cuttable const long_one(1000);
        CHECK_NOTHROW(cut_here());
        {
            cuttable const short_one(-1);
            CHECK_THROWS_AS(cut_here(), cut_short);
            cuttable const inner(1000);
            CHECK_THROWS_AS(cut_here(), cut_short);
        }
        CHECK_NOTHROW(cut_here());
    }
    CHECK_NOTHROW(cut_here());
}

TEST_CASE("a program is no library that could be unloaded")
{
    attune::detail::keep_this_library_loaded();
    attune::detail::keep_this_library_loaded();
}

TEST_CASE("what is kept is never destroyed, and kept once")
{
    static int destroyed = 0;
    struct counted {
        ~counted() { ++destroyed; }
    };
    auto object = std::make_shared<counted>();
    std::weak_ptr<counted> const alive = object;
    attune::detail::keep_forever(object);
    attune::detail::keep_forever(object);
    attune::detail::keep_forever(nullptr);
    CHECK(object.use_count() == 2); // this one, and one that is kept
    object.reset();
    CHECK(!alive.expired());
    CHECK(destroyed == 0);
}
