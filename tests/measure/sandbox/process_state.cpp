// tests/measure/sandbox/process_state.cpp : mirrors include/attune/measure/sandbox/process_state.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/process_state.hpp>

#include <attune/core/own_float_environment.hpp>
#include <attune/measure/sandbox/child_process.hpp>

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <functional>
#include <iostream>
#include <locale.h>
#include <locale>
#include <memory_resource>
#include <pthread.h>
#include <string>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#endif

#include "../../support/other_threads.hpp"

using attune::detail::first_change;
using attune::detail::process_state;

namespace {

using sentences = std::vector<std::string>;

/// What `change` is said to have changed; and that restoring takes it back.
sentences seen(std::function<void()> const& change)
{
    process_state const before;
    CHECK(before.changes() == sentences{});
    change();
    sentences const said = before.changes();
    before.restore();
    CHECK(before.changes() == sentences{});
    return said;
}

} // namespace

#if defined(__linux__)
namespace {

constexpr int users_file = 199;

/// A thread that may run on one processor has no other ones to choose.
bool has_processors()
{
    cpu_set_t all;
    return sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1;
}

struct misdeed {
    char const* name;
    void (*act)();
    char const* said; ///< the sentence begins so
    bool is_undone;
};

void set_limit(decltype(RLIMIT_CORE) which, rlim_t soft)
{
    rlimit now{};
    getrlimit(which, &now);
    now.rlim_cur = soft;
    setrlimit(which, &now);
}

misdeed const misdeeds[] = {
    {"nice", [] { static_cast<void>(nice(3)); }, "changed the niceness", geteuid() == 0},
    {"batch",
     [] {
         sched_param none{};
         sched_setscheduler(0, SCHED_BATCH, &none);
     },
     "changed the scheduling policy", true},
    {"affinity",
     [] {
         cpu_set_t all;
         sched_getaffinity(0, sizeof all, &all);
         for (std::size_t i = 0; CPU_COUNT(&all) > 1; ++i)
             CPU_CLR(i, &all);
         sched_setaffinity(0, sizeof all, &all);
     },
     "changed the processors of the thread", true},
    {"disk priority", [] { syscall(SYS_ioprio_set, 1L, 0L, 3L << 13); },
     "changed the disk priority", true},
    {"thread name", [] { prctl(PR_SET_NAME, "gotcha"); }, "changed the name of the thread", true},
    {"timer slack", [] { prctl(PR_SET_TIMERSLACK, 77UL); }, "changed the timer slack", true},
    {"cancellation", [] { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); },
     "changed the cancellation of the thread", true},
    {"cancellation at once", [] { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr); },
     "changed the cancellation of the thread", true},
    {"System V memory", [] { shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); },
     "left shared memory (shmget)", true},
    {"PDEATHSIG", [] { prctl(PR_SET_PDEATHSIG, SIGUSR1); },
     "changed the signal that comes when its parent ends", true},
    {"no_new_privs", [] { prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL); },
     "gave up new privileges for good", false},
    {"dumpable", [] { prctl(PR_SET_DUMPABLE, 0UL); }, "changed whether it may be dumped", true},
    {"no subreaper", [] { prctl(PR_SET_CHILD_SUBREAPER, 0UL); },
     "changed who gets orphaned processes", true},
    {"no large pages", [] { prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL); },
     "changed the use of large pages", true},
    {"ptrace", [] { ptrace(PTRACE_TRACEME, 0, 0, 0); }, "asked to be traced", false},
    {"timer_create",
     [] {
         timer_t made{};
         timer_create(CLOCK_MONOTONIC, nullptr, &made);
     },
     "left a timer", true},
    {"setitimer",
     [] {
         itimerval const later{{100, 0}, {100, 0}};
         setitimer(ITIMER_PROF, &later, nullptr);
     },
     "set a timer", true},
    {"personality", [] { personality(PER_LINUX32); }, "changed its personality", true},
    {"files", [] { set_limit(RLIMIT_NOFILE, 33); }, "changed a limit", true},
    {"core", [] { set_limit(RLIMIT_CORE, 0); }, "changed a limit", true},
    {"umask", [] { umask(0123); }, "changed the file mode mask", true},
    {"chdir", [] { static_cast<void>(!chdir("/")); }, "changed the working directory", true},
    {"setenv", [] { setenv("HOSTILE", "1", 1); }, "changed the environment", true},
    {"setlocale", [] { std::setlocale(LC_ALL, "C.UTF-8"); }, "changed the locale", true},
    {"signal", [] { std::signal(SIGUSR1, SIG_IGN); }, "changed the handler of signal", true},
    {"terminate", [] { std::set_terminate([] { _exit(3); }); },
     "changed the handler of std::terminate", true},
    {"memory resource", [] { std::pmr::set_default_resource(std::pmr::null_memory_resource()); },
     "changed the handler of std::terminate() or of new, or the resource of std::pmr", true},
    {"locale of C++",
     [] { std::locale::global(std::locale(std::locale::classic(), new std::numpunct<char>())); },
     "changed the locale of C++", true},
    {"hexadecimal numbers", [] { std::cout << std::hex; }, "changed std::cout", true},
    {"a failed stream", [] { std::cerr.setstate(std::ios::badbit); }, "changed std::cout", true},
    {"another buffer", [] { std::clog.rdbuf(nullptr); }, "changed std::cout", true},
#if defined(__x86_64__)
    {"MMX",
     [] {
         asm volatile("movq %%mm0, %%mm1" ::: "memory");
     },
     "left x87 or MMX registers", true},
    {"x87",
     [] {
         asm volatile("fld1" ::: "memory");
     },
     "left x87 or MMX registers", true},
#endif
#if defined(__GLIBC__)
    {"srand", [] { std::srand(7); }, "changed the state of rand()", true},
    {"rand", [] { static_cast<void>(std::rand()); }, "changed the state of rand()", true},
#endif
    {"offset", [] { lseek(users_file, 1, SEEK_SET); }, "changed the flags or the position", false},
    {"a child",
     [] {
         if (fork() == 0) pause();
     },
     "left a child process behind", false},
    {"a daemon",
     [] {
         if (pid_t const child = fork(); child != 0) {
             waitpid(child, nullptr, 0);
         } else {
             setsid();
             if (fork() == 0) pause();
             _exit(0);
         }
     },
     "left a child process behind", false},
    {"traps", [] { std::fesetround(FE_UPWARD); }, "changed the floating-point mode", true},
};

} // namespace

TEST_CASE("each misdeed in a child is told, and undone where that is possible")
{
    int const file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    REQUIRE(dup2(file, users_file) == users_file);
    for (misdeed const& one : misdeeds) {
        if (one.name == std::string("affinity") && !has_processors()) continue;
        CAPTURE(one.name);
        std::string said;
        std::string left;
        auto const look = [&] { return "said " + said + "; left " + left; };
        attune::detail::child_end const end = attune::detail::run_in_child(
            [&] {
                process_state const before;
                one.act();
                for (std::string const& change : before.changes())
                    said += change + ", ";
                before.restore();
                for (std::string const& change : before.changes())
                    left += change + ", ";
            },
            look);
        CHECK(end.ending == attune::detail::child_ending::objected);
        CHECK(end.text.starts_with("said " + std::string(one.said)));
        CHECK(end.text.ends_with("; left ") == one.is_undone);
    }
    close(users_file);
    close(file);
}

TEST_CASE("beside other threads, what belongs to this thread is told and undone")
{
    attune_test::other_thread const other;
    for (misdeed const& one : misdeeds) {
        if (std::string(one.said).find("of the thread") == std::string::npos) continue;
        if (one.name == std::string("affinity") && !has_processors()) continue;
        if (one.name == std::string("nice") && !one.is_undone) continue;
        CAPTURE(one.name);
        process_state const before{false};
        one.act();
        CHECK(before.changes().size() == 1);
        before.restore();
        CHECK(before.changes() == sentences{});
    }
}
#endif

TEST_CASE("within attune's environment the host's counts")
{
    attune::detail::own_float_environment const numbers;
    process_state const before{false};
    {
        attune::detail::hosts_float_environment const of_host;
        std::feraiseexcept(FE_OVERFLOW);
    }
    CHECK(before.changes() == sentences{});
    {
        attune::detail::hosts_float_environment const of_host;
        std::fesetround(FE_UPWARD);
    }
    CHECK(before.changes().size() == 1);
    before.restore();
    CHECK(before.changes() == sentences{});
    attune::detail::hosts_float_environment const of_host;
    CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("arithmetic, an opened file and time that passes are no changes")
{
    int opened = -1;
    CHECK(seen([&] {
              double volatile x = 1;
              x = x / 3; // sets the inexact flag
              opened = open("/dev/null", O_RDONLY | O_CLOEXEC);
          }) == sentences{});
    close(opened);
}

TEST_CASE("a signal handler, the mask and the signal stack are put back")
{
    CHECK(seen([] { std::signal(SIGUSR1, [](int) {}); }) ==
          sentences{"changed the handler of signal " + std::to_string(SIGUSR1)});
    CHECK(seen([] {
              sigset_t one;
              sigemptyset(&one);
              sigaddset(&one, SIGUSR2);
              pthread_sigmask(SIG_BLOCK, &one, nullptr);
          }) == sentences{"changed the signal mask"});
    static char memory[64 * 1024];
    CHECK(seen([] {
              stack_t stack{};
              stack.ss_sp = memory;
              stack.ss_size = sizeof memory;
              sigaltstack(&stack, nullptr);
          }) == sentences{"changed the signal stack"});
}

TEST_CASE("an alarm of the program may go on")
{
    alarm(1000);
    CHECK(seen([] { usleep(1000); }) == sentences{});
    CHECK(seen([] { alarm(10); }) == sentences{"set a timer (alarm or setitimer)"});
    CHECK(alarm(0) > 900);
}

TEST_CASE("each variable of the environment is put back")
{
    setenv("ATTUNE_TEST_KEPT", "before", 1);
    CHECK(seen([] {
              setenv("ATTUNE_TEST_KEPT", "after", 1);
              setenv("ATTUNE_TEST_NEW", "1", 1);
          }) == sentences{"changed the environment"});
    CHECK(std::getenv("ATTUNE_TEST_KEPT") == std::string("before"));
    CHECK(std::getenv("ATTUNE_TEST_NEW") == nullptr);
    CHECK(seen([] { clearenv(); }) == sentences{"changed the environment"});
    CHECK(std::getenv("ATTUNE_TEST_KEPT") == std::string("before"));
    unsetenv("ATTUNE_TEST_KEPT");
}

TEST_CASE("a closed descriptor and a child left behind are seen, unless nobody asked for them")
{
    int const file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    process_state const before;
    process_state const without{false};
    close(file);
    CHECK(before.changes() ==
          sentences{"closed or exchanged file descriptor " + std::to_string(file)});
    pid_t const child = fork();
    if (child == 0) _exit(0);
    CHECK(before.changes().front() == "left a child process behind");
    CHECK(without.changes() == sentences{});
    waitpid(child, nullptr, 0);
    CHECK(before.changes().size() == 1);
}

#if defined(__linux__)
TEST_CASE("a handler of Ctrl-C counts only together with the resources")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    process_state const with;
    process_state const without{false};
    std::signal(SIGINT, [](int) {});
    CHECK(without.changes() == sentences{});
    CHECK(with.changes().size() == 1);
    without.restore();
    CHECK(with.changes().size() == 1);
    with.restore();
    CHECK(with.changes() == sentences{});
    std::signal(SIGUSR1, SIG_IGN); // any other counts
    CHECK(without.changes().size() == 1);
    without.restore();
    CHECK(with.changes() == sentences{});
}

TEST_CASE("what another thread of the program changes is neither told nor put back")
{
    auto const change_all = [] {
        setenv("ATTUNE_TEST_OF_THE_PROGRAM", "1", 1);
        REQUIRE(chdir("/") == 0);
        umask(umask(0) ^ 07);
        std::signal(SIGUSR1, SIG_IGN);
        alarm(1000);
    };
    process_state const as_it_was;
    {
        attune_test::other_thread const other;
        process_state const before{false};
        other.call(change_all);
        CHECK(before.changes() == sentences{});
        before.restore();
    }
    CHECK(as_it_was.changes().size() == 5);
    as_it_was.restore();
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    {
        process_state const before{false}; // and a thread that comes later counts as well
        attune_test::other_thread const other;
        other.call(change_all);
        CHECK(before.changes() == sentences{});
        before.restore();
    }
    CHECK(as_it_was.changes().size() == 5);
    attune_test::wait_until_alone();
    process_state const changed{false};
    as_it_was.restore();
    CHECK(changed.changes().size() == 4); // nobody else is there; a timer that is gone is none
    as_it_was.restore();
}

TEST_CASE("beside threads of attune's own, everything counts")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    attune_test::other_thread const ours;
    ours.call([] { pthread_setname_np(pthread_self(), attune::detail::own_thread_name); });
    process_state const before{false};
    std::signal(SIGUSR1, SIG_IGN);
    CHECK(before.changes() ==
          sentences{"changed the handler of signal " + std::to_string(SIGUSR1)});
    before.restore();
    CHECK(before.changes() == sentences{});
}
#endif

TEST_CASE("beside other threads, what is this thread's own is told and put back")
{
    attune_test::other_thread const other;
    process_state const before{false};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    std::fesetround(FE_DOWNWARD);
    locale_t const mine = newlocale(LC_ALL_MASK, "C", locale_t{});
    uselocale(mine);
    CHECK(before.changes() ==
          sentences{"changed the floating-point mode (rounding, flushing to zero or traps)",
                    "changed the signal mask", "changed the locale"});
    before.restore();
    CHECK(before.changes() == sentences{});
    CHECK(std::fegetround() == FE_TONEAREST);
    freelocale(mine);
}

TEST_CASE("the first change that is not allowed is told")
{
    sentences const changes{"a", "b", "c"};
    CHECK(first_change(changes, {}) == "a");
    CHECK(first_change(changes, sentences{"a", "x"}) == "b");
    CHECK(first_change(changes, changes) == "");
    CHECK(first_change({}, changes) == "");
}
