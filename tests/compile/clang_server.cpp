// tests/compile/clang_server.cpp - variants that crash Clang, never end or take all memory fail, and the program goes on.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/posix/program_end.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../laws/compiler.hpp"
#include "../support/sanitized.hpp"
#include "../support/texts.hpp"

using attune_test::has;

namespace {

bool usable()
{
#if defined(__clang__)
    // Clang links the run-time library into programs, which a module without it cannot start as.
    if (is_skipped(address_sanitized || thread_sanitized, "the server is no program then"))
        return false;
#endif
    std::string const notice = attune::clang_compiler().notice();
    if (!notice.empty()) MESSAGE("skipped: " << notice);
    return notice.empty();
}

attune::clang_compiler quick_compiler(double limit_s, bool separate = true)
{
    return attune::clang_compiler(
        {.flags = {"-O1", "-std=c++20"}, .separate_process = separate, .limit_s = limit_s});
}

attune::compile_request variant(std::string const& way)
{
    attune::compile_request v = attune::variant_of<int(int)>("f");
    v.macros = {{"WAY", way}};
    return v;
}

/// A kernel whose variant 0 is right; the others do harm to the compiler.
attune::kernel_source hostile_kernel()
{
    std::string sum = "return x";
    for (int i = 0; i < 60000; ++i)
        sum += "+x";
    return attune::source_text("#if WAY == 1\n#pragma clang __debug crash\n"
                               "#elif WAY == 2\n#pragma clang __debug llvm_fatal_error\n"
                               "#elif WAY == 3\n#pragma clang __debug overflow_stack\n"
                               "#elif WAY == 4\n"
                               "template <int N, int M> struct twice { enum { value = twice<N - 1, "
                               "2 * M>::value ^ twice<N - 1, 2 * M + 1>::value }; };\n"
                               "template <int M> struct twice<0, M> { enum { value = M }; };\n"
                               "static_assert(twice<28, 1>::value != 0);\n"
                               "#elif WAY == 5\n"
                               "template <class T, T... N> struct list {};\n"
                               "using many = __make_integer_seq<list, int, 2000000000>;\n"
                               "many all;\n"
                               "#endif\n"
                               "int f(int x)\n{\n#if WAY == 6\n" +
                                   sum + ";\n#else\nreturn x + 1;\n#endif\n}\n",
                               "hostile.cpp");
}

/// In the environment of the servers that this process starts from now on.
std::string mark() { return "ATTUNE_TEST_SERVER_OF=" + std::to_string(::getpid()) + '.'; }

/// The processes of this name that the servers of this process are or have started.
std::vector<pid_t> processes(char const* wanted)
{
    std::vector<pid_t> out;
    std::error_code no_throw;
    for (auto const& one : std::filesystem::directory_iterator("/proc", no_throw)) {
        std::string name;
        std::ifstream(one.path() / "comm") >> name;
        std::string const id = one.path().filename().string();
        std::ifstream variables(one.path() / "environ", std::ios::binary);
        std::string const all{std::istreambuf_iterator<char>(variables), {}};
        if (all.find(mark()) == std::string::npos) continue;
        if (name == wanted && !id.empty() && id.front() >= '0' && id.front() <= '9')
            out.push_back(static_cast<pid_t>(std::atol(id.c_str())));
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<pid_t> servers() { return processes("attune-clang"); }
std::vector<pid_t> workers() { return processes("attune-job"); }

/// Those that are not among `before`, which is sorted.
std::vector<pid_t> without(std::vector<pid_t> all, std::vector<pid_t> const& before)
{
    std::erase_if(all,
                  [&](pid_t one) { return std::binary_search(before.begin(), before.end(), one); });
    return all;
}

/// Marks the servers that this process starts from now on.
void mark_servers()
{
    ::setenv("ATTUNE_TEST_SERVER_OF", (std::to_string(::getpid()) + '.').c_str(), 1);
}

/// Waits until `is_so()`, at most ten seconds.
template <class Condition>
bool comes_true(Condition is_so)
{
    for (int waited = 0; waited < 1000 && !is_so(); ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return is_so();
}

std::size_t open_descriptors()
{
    std::filesystem::directory_iterator const all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Runs `f` on a thread with so much stack.
template <class F>
void on_thread(std::size_t stack_bytes, F f)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
    pthread_t thread{};
    auto const run = [](void* self) -> void* { return (*static_cast<F*>(self))(), nullptr; };
    REQUIRE(pthread_create(&thread, &attributes, run, &f) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

} // namespace

TEST_CASE("a variant that harms the compiler fails with a sentence, and the next variant compiles")
{
    if (!usable()) return;
    attune::clang_compiler const compiler = quick_compiler(3);
    attune::kernel_source const kernel = hostile_kernel();
    struct harm {
        char const* way;
        char const* said;
    };
    for (harm const& one :
         {harm{"1", "the compiler crashed: signal "}, harm{"2", "LLVM ERROR: "},
          harm{"3", "compil"}, /* LLVM 19 loops */
          harm{"4", "compiling took longer than "}, harm{"5", "compil"} /* memory or time */}) {
        CAPTURE(one.way);
        auto const made = compiler.compile(kernel, variant(one.way));
        auto const* const failed = std::get_if<attune::failure>(&made);
        REQUIRE(failed != nullptr);
        CHECK(failed->stage == attune::failure_stage::compile);
        CHECK_MESSAGE(failed->reason.find(one.said) != std::string::npos, failed->reason);
        CHECK(attune_laws::callable_of(compiler.compile(kernel, variant("0"))).as<int(int)>()(1) ==
              2);
    }
}

TEST_CASE("in this process, too, templates without end and endless constant expressions fail")
{
    if (!usable()) return;
    auto const reason = [&](attune::kernel_source const& kernel, char const* way, double limit_s) {
        attune::compile_result const made =
            quick_compiler(limit_s, false).compile(kernel, variant(way));
        auto const* const why = std::get_if<attune::failure>(&made);
        return why != nullptr ? why->reason : std::string("it compiles");
    };
    CHECK(has(reason(hostile_kernel(), "4", 1), "compiling took longer than 1 s"));
    attune::kernel_source const constant = attune::source_text(
        "constexpr int endless() { for (int i = 0;; i ^= 1) if (i > 1) return i; }\n"
        "static_assert(endless() != WAY);\nint f(int x) { return x; }\n",
        "constant.cpp");
    CHECK(has(reason(constant, "0", 60), "constant expression"));
    CHECK(reason(hostile_kernel(), "0", 60) == "it compiles");
}

TEST_CASE("a sum of 60,000 terms compiles, also for a thread with 64 KiB of stack")
{
    if (!usable()) return;
    attune::kernel_source const kernel = hostile_kernel();
    int got = 0;
    attune::clang_compiler const compiler = quick_compiler(60);
    on_thread(std::size_t{64} << 10, [&] {
        got = attune_laws::callable_of(compiler.compile(kernel, variant("6"))).as<int(int)>()(1);
    });
    CHECK(got == 60001);
}

TEST_CASE("code that the server compiles is that of this process, byte for byte")
{
    if (!usable()) return;
    attune::kernel_source const kernel =
        attune::source_text("#include <algorithm>\n#include <cmath>\nint f(int x)\n{\n    return "
                            "std::max(WAY, x) + static_cast<int>(std::sqrt(x));\n}\n",
                            "same.cpp");
    for (char const* const way : {"1", "2"}) {
        auto const there =
            attune_laws::callable_of(quick_compiler(60).compile(kernel, variant(way)));
        auto const here =
            attune_laws::callable_of(quick_compiler(60, false).compile(kernel, variant(way)));
        CHECK(there.object_key == here.object_key);
    }
}

TEST_CASE("a server that was killed is started again, and jobs leave no descriptor behind")
{
    if (!usable()) return;
    mark_servers();
    std::vector<pid_t> const before = servers();
    std::vector<pid_t> const workers_before = workers();
    attune::clang_compiler const compiler = quick_compiler(60);
    attune::kernel_source const kernel = hostile_kernel();
    auto const result = [&](char const* way) {
        return attune_laws::callable_of(compiler.compile(kernel, variant(way))).as<int(int)>()(4);
    };
    REQUIRE(result("10") == 5);
    std::size_t const descriptors = open_descriptors();
    for (int round = 0; round < 3; ++round) {
        std::vector<pid_t> const server = without(servers(), before);
        REQUIRE(server.size() == 1);
        ::kill(server.front(), SIGKILL);
        CHECK(comes_true([&] { return without(workers(), workers_before).empty(); }));
        CHECK(result(std::to_string(11 + round).c_str()) == 5);
    }
    CHECK(open_descriptors() == descriptors);
}

TEST_CASE("a worker does one job after the other, and a new one repeats what may be its fault")
{
    if (!usable()) return;
    mark_servers();
    std::vector<pid_t> const before = workers();
    attune::clang_compiler const compiler = quick_compiler(1);
    attune::kernel_source const kernel = hostile_kernel();
    for (char const* const way : {"30", "31", "32"}) {
        (void)attune_laws::callable_of(compiler.compile(kernel, variant(way)));
        CHECK(without(workers(), before).size() == 1);
    }
    std::vector<pid_t> const worker = without(workers(), before);
    REQUIRE(worker.size() == 1);
    bool is_another = false;
    std::thread harm([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ::kill(worker.front(), SIGKILL);
        is_another = comes_true([&] {
            std::vector<pid_t> const now = without(workers(), before);
            return now.size() == 1 && now != worker;
        });
    });
    auto const made = compiler.compile(kernel, variant("4")); // endless, also the second time
    harm.join();
    CHECK(is_another);
    auto const* const failed = std::get_if<attune::failure>(&made);
    REQUIRE(failed != nullptr);
    CHECK_MESSAGE(failed->reason.find("took longer than 1 s") != std::string::npos, failed->reason);
}

TEST_CASE("several threads compile at once, with crashes between")
{
    if (!usable()) return;
    attune::clang_compiler const compiler = quick_compiler(20);
    attune::kernel_source const kernel = hostile_kernel();
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t i = 0; i < wrong.size(); ++i)
        threads.emplace_back([&, i] {
            for (std::size_t k = 0; k < 8; ++k) {
                bool const is_harm = (k + i) % 3 == 0;
                std::string const way = is_harm ? "1" : std::to_string(100 + 10 * i + k);
                auto const made = compiler.compile(kernel, variant(way));
                auto const* const code = std::get_if<attune::callable>(&made);
                if ((code == nullptr) != is_harm ||
                    (code != nullptr && code->as<int(int)>()(2) != 3))
                    ++wrong[i];
            }
        });
    for (std::thread& one : threads)
        one.join();
    CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("the server compiles in the folder and the environment that the program has now")
{
    if (!usable()) return;
    namespace fs = std::filesystem;
    attune::detail::temporary_folder const folder;
    (void)folder.write("one/number.hpp", "#define NUMBER 1\n");
    (void)folder.write("two/number.hpp", "#define NUMBER 2\n");
    attune::kernel_source const kernel = attune::source_text(
        "#include <number.hpp>\nint f(int x) { return 10 * WAY + NUMBER + x; }\n", "n.cpp");
    fs::path const before = fs::current_path();
    attune::clang_compiler const compiler = quick_compiler(20);
    ::setenv("CPATH", (folder.path() + "/one").c_str(), 1);
    CHECK(attune_laws::callable_of(compiler.compile(kernel, variant("1"))).as<int(int)>()(0) == 11);
    ::unsetenv("CPATH");
    attune::kernel_source here = kernel;
    here.include_dirs = {"."};
    fs::current_path(folder.path() + "/two");
    CHECK(attune_laws::callable_of(compiler.compile(here, variant("2"))).as<int(int)>()(0) == 22);
    fs::current_path(before);
}

TEST_CASE("a compilation ends soon after a stop was requested")
{
    if (!usable()) return;
    attune::clang_compiler const compiler = quick_compiler(60);
    attune::kernel_source const kernel = hostile_kernel();
    std::atomic<bool> stop{false};
    attune::detail::stopped_by const told(stop);
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        stop = true;
    });
    attune::detail::cuttable const here;
    CHECK_THROWS_AS((void)compiler.compile(kernel, variant("4")), attune::detail::cut_short);
    later.join();
    stop = false;
    CHECK(attune_laws::callable_of(compiler.compile(kernel, variant("0"))).as<int(int)>()(1) == 2);
}

TEST_CASE("a program whose current folder was removed compiles all the same")
{
    if (!usable()) return;
    namespace fs = std::filesystem;
    fs::path const before = fs::current_path();
    attune::clang_compiler const compiler = quick_compiler(20);
    (void)compiler.identity(); // the module may be found by a relative path
    {
        attune::detail::temporary_folder const folder;
        fs::create_directory(folder.path() + "/gone");
        fs::current_path(folder.path() + "/gone");
        fs::remove(folder.path() + "/gone");
        attune::kernel_source const kernel =
            attune::source_text("int f(int x) { return x + WAY; }\n", "/gone.cpp");
        CHECK(attune_laws::callable_of(compiler.compile(kernel, variant("3"))).as<int(int)>()(4) ==
              7);
        fs::current_path(before);
    }
}
