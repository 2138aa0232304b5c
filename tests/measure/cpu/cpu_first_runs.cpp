// tests/measure/cpu/cpu_first_runs.cpp - what a variant must give, and how it is found out.
// SPDX-License-Identifier: MIT
#include <attune/measure/cpu/cpu_first_runs.hpp>

#include <attune/attune.hpp>
#include <attune/tune/loop/make_bench.hpp>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <span>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <variant>
#include <vector>

#include "../../support/sanitized.hpp"
#include "../../support/texts.hpp"

using attune::failure;
using attune::failure_stage;
using attune::first_run_result;
using attune::isolation;
using attune_test::has;

namespace {

using signature = void(std::span<double const>, std::span<double>, std::span<int>);
using function = signature*;
using data = std::vector<double>;

void assign(std::span<double const> x, std::span<double> y, std::span<int>)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[i];
}
void add(std::span<double const> x, std::span<double> y, std::span<int>)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += 2 * x[i];
}
#if defined(__linux__)
/// The id of the program, for a child: getppid() in this process is that of a stranger.
pid_t of_program = 0;
void batch_parent(std::span<double const> x, std::span<double> y, std::span<int> z)
{
    assign(x, y, z);
    ::sched_param none{};
    ::sched_setscheduler(of_program, SCHED_BATCH, &none);
}
void pin_parent(std::span<double const> x, std::span<double> y, std::span<int> z)
{
    assign(x, y, z);
    ::cpu_set_t all;
    ::sched_getaffinity(0, sizeof all, &all);
    for (std::size_t i = 0; CPU_COUNT(&all) > 1; ++i)
        CPU_CLR(i, &all);
    ::sched_setaffinity(of_program, sizeof all, &all);
}
void slow_parent(std::span<double const> x, std::span<double> y, std::span<int> z)
{
    assign(x, y, z);
    auto const parent = static_cast<::id_t>(of_program);
    ::setpriority(PRIO_PROCESS, parent, ::getpriority(PRIO_PROCESS, parent) + 1);
}
void limit_parent(std::span<double const> x, std::span<double> y, std::span<int> z)
{
    assign(x, y, z);
    ::rlimit now{};
    ::prlimit(of_program, RLIMIT_NOFILE, nullptr, &now);
    --now.rlim_cur;
    ::prlimit(of_program, RLIMIT_NOFILE, &now, nullptr);
}
#endif
void nothing(std::span<double const>, std::span<double>, std::span<int>) {}
/// How often code in this process, not in a child, met a number below zero.
int below_zero_here = 0;
void largest(std::span<double const> x, std::span<double> y, std::span<int>)
{
    if (y[0] < 0) ++below_zero_here;
    for (double const one : x)
        y[0] = one > y[0] ? one : y[0];
}
void correct_gamma(std::span<double const>, std::span<double> y, std::span<int>)
{
    for (double& one : y) {
        if (one < 0) ++below_zero_here;
        one = std::min(1.0, std::pow(one, 2.2));
    }
}
/// A jump of its own for negative numbers, which a child alone survives.
void only_rising(std::span<double const> x, std::span<double> y, std::span<int>)
{
    if (y[0] < 0) ++below_zero_here;
    if (y[0] < 0) std::abort();
    largest(x, y, {});
}
/// The digits of the result may come in any order.
void sort_of(std::span<double const> x, std::span<double> y, std::span<int>)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[y.size() - 1 - i];
}
void round_down(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    std::fesetround(FE_DOWNWARD);
}
void round_up(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    std::fesetround(FE_UPWARD);
}
char const* table = nullptr; ///< in the program's own memory
void look_up(std::span<double const> x, std::span<double> y, std::span<int>)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[i] * table[i];
}
ATTUNE_TEST_UNCHECKED void crash(std::span<double const>, std::span<double>, std::span<int>)
{
    int volatile* volatile nowhere = nullptr;
    *nowhere = 1;
}
void outside(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    double volatile* const past = y.data() + y.size();
    *past = 1;
}
void hang(std::span<double const>, std::span<double>, std::span<int>)
{
    for (;;)
        asm volatile("");
}

int written_to = -1; ///< a file or a pipe of the program's
void leave_open(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    static_cast<void>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}
void open_once(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    static int const once = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    static_cast<void>(once);
    assign(x, y, k);
}
void print(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    std::printf("a variant speaks\n");
}
void append(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    int const file = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    static_cast<void>(!::write(file, "x", 1));
    ::close(file);
}
void rename_thread(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    ::pthread_setname_np(::pthread_self(), "gotcha");
}
void draw(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    std::srand(7);
}
void rewind(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    ::lseek(written_to, 0, SEEK_SET);
    ::fcntl(written_to, F_SETFL, ::fcntl(written_to, F_GETFL) | O_NONBLOCK);
}
void skip_ahead(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    ::lseek(written_to, 100, SEEK_CUR);
}
void write_once(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    static bool const once = ::write(written_to, "x", 1) == 1;
    static_cast<void>(once);
    assign(x, y, k);
}
/// It keeps `written_to` open while it lives.
void start_daemon(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    assign(x, y, k);
    if (::fork() != 0) return;
    ::setsid();
    if (::fork() == 0)
        for (;;)
            ::sleep(300);
    ::_exit(0);
}
void start_daemon_and_crash(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    start_daemon(x, y, k);
    crash(x, y, k);
}
void start_daemon_and_hang(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    start_daemon(x, y, k);
    hang(x, y, k);
}
void start_daemon_and_leave(std::span<double const> x, std::span<double> y, std::span<int> k)
{
    start_daemon(x, y, k);
    ::_exit(3);
}

/// y = 10, and x = 1, 2, 3 ...
struct ground {
    data x = data(99);
    data y = data(99, 10.0);
    std::vector<int> k = std::vector<int>(99);
    attune::kernel<signature> kernel{
        "k", attune::source_text("constexpr int a = ATTUNE_TUNABLE(A, 1);\n", "k.kernel.cpp"),
        attune::space(attune::integer<"A">(1, 2))};
    attune::chain_of_trees space = attune::build(attune::space(attune::integer<"A">(1, 2)));
    attune::detail::any_compiler const no_compiler{};
    attune::call_frame frame;
    isolation how;
    std::optional<attune::tuning_problem> problem{};
    std::optional<attune::trial_call> call{};
    std::optional<attune::detail::snapshot> original{};
    std::optional<attune::detail::cpu_first_runs> proof{};

    explicit ground(isolation protect = isolation::fork)
        : how(protect)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<double>(i + 1);
    }
    ground(ground const&) = delete;
    ground& operator=(ground const&) = delete;

    static attune::callable code(function f)
    {
        attune::callable out{.address = reinterpret_cast<void*>(f)};
        return out;
    }
    first_run_result establish(function f)
    {
        frame = attune::detail::make_call_frame<std::span<double const>, std::span<double>,
                                                std::span<int>>({}, x, y, k);
        problem.emplace(
            attune::tuning_problem{kernel.describe(), space, space.at(0), no_compiler, frame});
        original.emplace(frame.buffers);
        call.emplace(attune::detail::trial_call_of(*problem));
        proof.emplace(*call, how, *original);
        return proof->establish(code(f), 5, 5);
    }
    /// "works", or the reason.
    std::string tried(function f, double limit_s = 5)
    {
        data const before = y;
        first_run_result const end = proof->first_run(code(f), limit_s);
        CHECK(y == before);
        auto const* const why = std::get_if<failure>(&end);
        return why == nullptr ? "works" : why->reason;
    }
};

bool works(first_run_result const& end) { return std::holds_alternative<double>(end); }
} // namespace

TEST_CASE("who writes nothing is found out although the answer stands there already")
{
    for (isolation const how : {isolation::fork, isolation::guard, isolation::none}) {
        ground g{how};
        assign(g.x, g.y, g.k);
        REQUIRE(works(g.establish(assign)));
        CHECK(g.tried(assign) == "works");
        CHECK(has(g.tried(nothing), "argument 1, element 0"));
        CHECK(has(g.tried(add), "argument 1, element 0"));
        CHECK(g.tried(assign) == "works");
    }
}

TEST_CASE("contents below zero, where the caller's are not, are for children and last")
{
    for (isolation const how : {isolation::fork, isolation::guard, isolation::none}) {
        below_zero_here = 0;
        ground mask{how};
        for (std::size_t i = 0; i < mask.y.size(); ++i)
            mask.y[i] = i % 3 == 0 ? 1 : 0;
        REQUIRE(works(mask.establish(correct_gamma)));
        CHECK(mask.tried(correct_gamma) == "works");
        CHECK(has(mask.tried(nothing), "argument 1"));
        ground one{how};
        one.y = {99};
        REQUIRE(works(one.establish(only_rising)));
        CHECK(one.tried(only_rising) == "works");
        CHECK(has(one.tried(outside), "argument 1"));
        CHECK(below_zero_here == 0);
    }
}

TEST_CASE("what the default leaves changed, others may; its changes are taken back")
{
    for (isolation const how : {isolation::fork, isolation::guard}) {
        ground g{how};
        REQUIRE(works(g.establish(round_down)));
        CHECK(std::fegetround() == FE_TONEAREST);
        CHECK(g.proof->tolerated().size() == 1);
        CHECK(g.tried(round_up) == "works"); // the mode is one thing
        ground strict{how};
        REQUIRE(works(strict.establish(assign)));
        CHECK(has(strict.tried(round_up), "changed the floating-point mode"));
        CHECK(std::fegetround() == FE_TONEAREST);
    }
}

TEST_CASE("what a variant leaves in the process, or opens and writes at each call, is refused")
{
    ground g;
    REQUIRE(works(g.establish(assign)));
    CHECK(g.tried(leave_open) == "leaves a file descriptor open at each call");
    CHECK(g.tried(open_once) == "works");
    CHECK(g.tried(print) == "writes to a file or a stream at each call");
    CHECK(g.tried(append) == "writes to a file or a stream at each call");
    CHECK(g.tried(rename_thread) == "changed the name of the thread");
#if defined(__GLIBC__)
    if (!attune::detail::has_other_threads()) CHECK(g.tried(draw) == "changed the state of rand()");
#endif
    ground same;
    REQUIRE(works(same.establish(leave_open))); // the program's own code may
    CHECK(same.tried(leave_open) == "works");
    CHECK(same.tried(print) == "writes to a file or a stream at each call");
    ground printing;
    REQUIRE(works(printing.establish(append)));
    CHECK(printing.tried(append) == "works");
}

#if defined(__linux__)
TEST_CASE(
    "what a variant changes in the process that runs it is taken back, and the variant refused")
{
    auto const niceness = [] { return ::getpriority(PRIO_PROCESS, 0); };
    auto const slices = [] { return ::sched_getscheduler(0); };
    auto const files = [] {
        ::rlimit now{};
        ::getrlimit(RLIMIT_NOFILE, &now);
        return now.rlim_cur;
    };
    auto const processors = [] {
        ::cpu_set_t all;
        ::sched_getaffinity(0, sizeof all, &all);
        return CPU_COUNT(&all);
    };
    int const nice_before = niceness(), slices_before = slices(), processors_before = processors();
    auto const files_before = files();
    of_program = ::getpid();
    ground g;
    REQUIRE(works(g.establish(assign)));
    char const* const where = " in the program itself";
    CHECK(g.tried(batch_parent) ==
          std::string("changed the scheduling policy of the thread") + where);
    if (processors_before > 1)
        CHECK(g.tried(pin_parent) ==
              std::string("changed the processors of the thread (its affinity)") + where);
    if (!attune::detail::has_other_threads())
        CHECK(g.tried(limit_parent) == std::string("changed a limit (setrlimit)") + where);
    if (::geteuid() == 0) // others may not lower it again
        CHECK(g.tried(slow_parent) == std::string("changed the niceness of the thread") + where);
    CHECK(niceness() == nice_before);
    CHECK(slices() == slices_before);
    CHECK(processors() == processors_before);
    CHECK(files() == files_before);
    ground same;
    REQUIRE(works(same.establish(batch_parent))); // the program's own code may
    CHECK(same.tried(batch_parent) == "works");
    CHECK(has(same.tried(pin_parent), processors_before > 1 ? "affinity" : "works"));
    CHECK(slices() == slices_before);
}
#endif

TEST_CASE("a daemon of a variant ends with its run, however that ends")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    ground g;
    REQUIRE(works(g.establish(assign)));
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    written_to = ends[1];
    CHECK(g.tried(start_daemon) == "left a child process behind");
    CHECK(has(g.tried(start_daemon_and_crash), "SIGSEGV"));
    CHECK(has(g.tried(start_daemon_and_hang, 0.25), "still running"));
    CHECK(has(g.tried(start_daemon_and_leave), "exit(3)"));
    ::close(ends[1]);
    written_to = -1;
    char byte = 0;
    while (::read(ends[0], &byte, 1) == 1) {
    } // its end: nobody has the other end open any more
    ::close(ends[0]);
}

TEST_CASE("the position and the flags of a file of the program stay")
{
    if (attune::detail::has_other_threads()) return;
    std::FILE* const file = std::tmpfile();
    written_to = ::fileno(file);
    REQUIRE(::write(written_to, "twelve bytes", 12) == 12);
    ground g;
    REQUIRE(works(g.establish(assign)));
    CHECK(has(g.tried(rewind), "changed the flags or the position of file descriptor"));
    CHECK(::lseek(written_to, 0, SEEK_CUR) == 12);
    CHECK((::fcntl(written_to, F_GETFL) & O_NONBLOCK) == 0);
    CHECK(has(g.tried(skip_ahead), "changed the flags or the position of file descriptor"));
    CHECK(::lseek(written_to, 0, SEEK_CUR) == 12);
    CHECK(has(g.tried(write_once), "changed the flags or the position of file descriptor"));
    std::fclose(file);
    written_to = -1;
}

TEST_CASE("a variant is not blamed for the lines of another process that writes the same log")
{
    if (attune::detail::has_other_threads()) return;
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    pid_t const writer = ::fork();
    if (writer == 0)
        while (::write(::fileno(file), "a line\n", 7) == 7)
            ::usleep(100);
    ground g;
    REQUIRE(works(g.establish(assign)));
    for (int i = 0; i < 30; ++i)
        CHECK(g.tried(assign) == "works");
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    std::fclose(file);
}

TEST_CASE("the guard alone survives crashes and hangs, and finds writes outside")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    ground g{isolation::guard};
    REQUIRE(works(g.establish(assign)));
    CHECK(has(g.tried(crash), "SIGSEGV"));
    CHECK(has(g.tried(hang, 0.05), "still running"));
    CHECK(has(g.tried(outside), "argument 1: written outside"));
    CHECK(g.tried(assign) == "works"); // the copies have been mended
    CHECK(g.proof->protection().why == "guard: as asked");
}

TEST_CASE("the user's check decides, for the default too")
{
    auto const sum_is = [](double want) {
        return [want](std::span<double const>, std::span<double> y, std::span<int>) -> std::string {
            double sum = 0;
            for (double const value : y)
                sum += value;
            return sum == want ? "" : "the sum is " + std::to_string(sum);
        };
    };
    ground g;
    g.kernel.check(sum_is(99.0 * 100));
    REQUIRE(works(g.establish(assign)));
    CHECK(g.tried(assign) == "works");
    CHECK(g.tried(sort_of) == "works"); // the comparison would have refused it
    CHECK(has(g.tried(nothing), "the sum is"));
    assign(g.x, g.y, g.k);
    CHECK(g.proof->objection() == "");
    g.y[0] += 1;
    CHECK(has(g.proof->objection(), "the sum is"));
    ground strict;
    strict.kernel.check(
        [](std::span<double const>, std::span<double>, std::span<int>) { return false; });
    first_run_result const end = strict.establish(assign);
    REQUIRE(!works(end));
    CHECK(std::get<failure>(end).stage == failure_stage::verify);
    CHECK(std::get<failure>(end).reason == "the kernel's check refused the result");
}

TEST_CASE(
    "a default that reads other memory of the program finds it, though children go without it")
{
    std::size_t const bytes = std::size_t{48} << 20;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    std::memset(memory, 1, bytes);
    table = static_cast<char const*>(memory) + bytes / 2;
    ground g;
    REQUIRE(works(g.establish(look_up)));
    CHECK(g.tried(look_up) == "works");
    CHECK(g.tried(assign) == "works");
    CHECK(has(g.tried(nothing), "argument 1, element 0"));
    munmap(memory, bytes);
}

TEST_CASE("the user's reference is what results are compared with, the default's too")
{
    ground g;
    g.kernel.reference(sort_of);
    REQUIRE(!works(g.establish(assign)));
    ground right;
    right.kernel.reference(assign);
    REQUIRE(works(right.establish(assign)));
    CHECK(right.tried(assign) == "works");
    CHECK(has(right.tried(sort_of), "argument 1, element 0"));
}

TEST_CASE("a check that throws refuses the result, in a child and in this process alike")
{
    for (isolation const how : {isolation::fork, isolation::guard, isolation::none}) {
        ground g{how};
        g.kernel.check([](std::span<double const> x, std::span<double> y, std::span<int>) {
            if (y[0] != 2 * x[0]) throw std::out_of_range("y has no such place");
            return true;
        });
        REQUIRE(works(g.establish(assign)));
        CHECK(g.tried(assign) == "works");
        CHECK(g.tried(nothing) == "the kernel's check threw: y has no such place");
        CHECK(g.proof->objection() == "the kernel's check threw: y has no such place");
        ground strict{how};
        strict.kernel.check(
            [](std::span<double const>, std::span<double>, std::span<int>) -> bool { throw 3; });
        first_run_result const end = strict.establish(assign);
        REQUIRE(!works(end));
        CHECK(std::get<failure>(end).stage == failure_stage::verify);
        CHECK(has(std::get<failure>(end).reason, "an exception that is not a std::exception"));
    }
}

TEST_CASE("a reference that throws is what is wrong with the default")
{
    for (isolation const how : {isolation::fork, isolation::guard, isolation::none}) {
        ground g{how};
        g.kernel.reference([](std::span<double const>, std::span<double>, std::span<int>) {
            throw std::runtime_error("no licence");
        });
        first_run_result const end = g.establish(assign);
        REQUIRE(!works(end));
        CHECK(std::get<failure>(end).stage == failure_stage::verify);
        CHECK(std::get<failure>(end).reason == "the kernel's reference threw: no licence");
        ground once{how}; // not on the caller's own contents, but on others
        once.kernel.reference([](std::span<double const> x, std::span<double> y, std::span<int> k) {
            if (y[0] != 10) throw std::runtime_error("not that y");
            assign(x, y, k);
        });
        REQUIRE(works(once.establish(assign)));
        CHECK(once.tried(assign) == "works");
        CHECK(has(once.tried(sort_of), "argument 1, element 0"));
    }
}
