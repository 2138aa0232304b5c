// tests/compile/clang_runtime.cpp - what C++ asks of linkers and loaders, by clang_compiler as by system_compiler.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/shared_code.hpp>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/open_files.hpp"
#include "../support/sanitized.hpp"
#include "../support/set_variable.hpp"

using attune_laws::callable_of;
using attune_laws::failure_of;

namespace {

using function = long(long, void*);

/// A kernel `long f(long, void*)`.
struct subject {
    char const* name;
    char const* text;
};

/// What `f` gets as its second argument: a place that it may change, and objects of the program.
struct surroundings {
    long place = 0;
    std::unique_ptr<std::exception> thrown = std::make_unique<std::out_of_range>("far");
};

std::array const subjects{
    subject{"a thread_local object with a destructor, beside a static one",
            "#include <vector>\n"
            "struct counted { std::vector<long> all; ~counted() { all.clear(); } };\n"
            "static counted calls;\n"
            "long f(long x, void*)\n{\n"
            "    thread_local counted mine;\n"
            "    mine.all.assign(x, 1);\n"
            "    calls.all.push_back(x);\n"
            "    return 100 * mine.all.size() + calls.all.size();\n}\n"},
    subject{
        "an inline thread_local variable, and one of a class template",
        "inline thread_local long count = 5;\n"
        "template <class T> struct of { static thread_local T all; };\n"
        "template <class T> thread_local T of<T>::all = 7;\n"
        "long f(long x, void*) { of<long>::all += x; return 100 * ++count + of<long>::all; }\n"},
    subject{"call_once, async, promise and future",
            "#include <future>\n#include <mutex>\n"
            "static std::once_flag once;\nstatic long factor;\n"
            "long f(long x, void*)\n{\n"
            "    std::call_once(once, [] { factor = 10; });\n"
            "    std::promise<long> promise;\n"
            "    auto other = std::async(std::launch::async, [&] { promise.set_value(x); return "
            "7L; });\n"
            "    return factor * promise.get_future().get() + other.get();\n}\n"},
    subject{
        "atexit and at_quick_exit",
        "#include <cstdlib>\n"
        "static long calls;\nstatic long* at;\n"
        "static void ending() { *at = 100 + calls; }\n"
        "long f(long x, void* place)\n{\n"
        "    at = static_cast<long*>(place);\n"
        "    if (calls++ == 0) return std::atexit(ending) + 10 * std::at_quick_exit(ending) + x;\n"
        "    return calls;\n}\n"},
    subject{"pthread_atfork",
            "#include <pthread.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
            "static long forks;\nstatic void forked() { ++forks; }\n"
            "long f(long, void*)\n{\n"
            "    static int const failed = pthread_atfork(forked, nullptr, nullptr);\n"
            "    pid_t const id = fork();\n    if (id == 0) _exit(0);\n"
            "    waitpid(id, nullptr, 0);\n    return 10 * failed + forks;\n}\n"},
#if defined(__x86_64__)
    subject{"__builtin_cpu_supports",
            "long f(long x, void*) { return __builtin_cpu_supports(\"sse2\") ? x : -1; }\n"},
    subject{"target_clones",
            "__attribute__((target_clones(\"default\", \"avx2\"))) long twice(long x) { return 2 * "
            "x; }\n"
            "long f(long x, void*) { return twice(x) + 1; }\n"},
    subject{"arithmetic of 128 bits",
            "long f(long x, void*)\n{\n"
            "    __int128 wide = x;\n    wide <<= 70;\n"
            "    __float128 real = x;\n"
            "    return static_cast<long>((wide / (x + 1)) >> 60) + static_cast<long>(real / 3 * "
            "300);\n}\n"},
#endif
    subject{"functions with __attribute__((constructor)) and ((destructor))",
            "static long built;\nstatic long* at;\n"
            "__attribute__((constructor)) static void build() { built = 3; }\n"
            "__attribute__((destructor)) static void destroy() { if (at) *at = 4; }\n"
            "long f(long x, void* place) { at = static_cast<long*>(place); return built * x; }\n"},
    subject{"the limits of a section, and weak symbols",
            "__attribute__((section(\"numbers\"), used)) static long first = 1;\n"
            "__attribute__((section(\"numbers\"), used)) static long second = 2;\n"
            "extern long __start_numbers, __stop_numbers;\n"
            "extern \"C\" __attribute__((weak)) long attune_test_absent(long);\n"
            "__attribute__((weak)) long present(long x) { return x + 1; }\n"
            "long f(long x, void*)\n{\n"
            "    long const n = &__stop_numbers - &__start_numbers;\n"
            "    return 100 * n + (attune_test_absent ? 0 : present(x));\n}\n"},
    subject{"regular expressions, streams, locales, coroutines, exceptions that travel, casts",
            "#include <coroutine>\n#include <exception>\n#include <iostream>\n#include <locale>\n"
            "#include <regex>\n#include <sstream>\n#include <typeinfo>\n"
            "struct answer {\n    struct promise_type {\n        long value = 0;\n"
            "        answer get_return_object() { return "
            "{std::coroutine_handle<promise_type>::from_promise(*this)}; }\n"
            "        std::suspend_never initial_suspend() { return {}; }\n"
            "        std::suspend_always final_suspend() noexcept { return {}; }\n"
            "        void return_value(long v) { value = v; }\n"
            "        void unhandled_exception() { throw; }\n    };\n"
            "    std::coroutine_handle<promise_type> handle;\n};\n"
            "static answer later(long x) { co_return 2 * x; }\n"
            "long f(long x, void* given)\n{\n"
            "    answer const made = later(x);\n    long out = made.handle.promise().value;\n"
            "    made.handle.destroy();\n"
            "    std::ostringstream text;\n    text.imbue(std::locale::classic());\n"
            "    text << \"n=\" << x << std::flush;\n    std::clog << std::flush;\n"
            "    out += std::regex_match(text.str(), std::regex(\"n=[0-9]+\")) ? 100 : 0;\n"
            "    std::exception_ptr kept;\n"
            "    try { throw std::runtime_error(\"kept\"); } catch (...) { kept = "
            "std::current_exception(); }\n"
            "    try { std::rethrow_exception(kept); } catch (std::runtime_error const&) { out += "
            "1000; }\n"
            "    auto const* object = *reinterpret_cast<std::exception* "
            "const*>(static_cast<long*>(given) + 1);\n"
            "    out += dynamic_cast<std::logic_error const*>(object) ? 10000 : 0;\n"
            "    return out + (typeid(*object) == typeid(std::out_of_range) ? 100000 : 0);\n}\n"},
};

attune::compile_request request() { return attune::variant_of<function>("f"); }

attune::kernel_source source_of(subject const& s)
{
    attune::kernel_source kernel = attune::source_text(s.text, "f.cpp");
    kernel.flags = {"-w"};
    return kernel;
}

attune::clang_compiler in_process(attune::cache_options const& cache = {.enabled = false})
{
    return attune::clang_compiler({.flags = {"-O1", "-std=c++20"}, .cache = cache});
}
attune::system_compiler spawned()
{
    return attune::system_compiler(
        {.command = "g++", .flags = {"-O0", "-std=c++20"}, .cache = {.enabled = false}});
}

bool has_clang() { return in_process().notice().empty(); }
bool has_linker() { return attune::detail::missing_linker().empty(); }
bool has_gpp() { return spawned().missing().empty(); }

/// Results of calls on this and another thread, then of the place after the code was unloaded.
/// @param code  the only copy; is empty afterwards
std::string results_of(attune::callable& code)
{
    static std::deque<surroundings> all; // code may write to them at exit
    surroundings& around = all.emplace_back();
    std::string out;
    auto const call = [&](long x) { out += std::to_string(code.as<function>()(x, &around)) + ' '; };
    call(3);
    call(4);
    std::thread([&] { call(5); }).join();
    code = {};
    return out + std::to_string(around.place);
}

std::size_t mapped_regions()
{
    std::ifstream maps("/proc/self/maps");
    std::size_t lines = 0;
    for (std::string line; std::getline(maps, line);)
        ++lines;
    return lines;
}

attune::callable compiled(char const* text, std::vector<std::string> flags = {})
{
    attune::kernel_source kernel = source_of({"", text});
    kernel.flags.insert(kernel.flags.end(), flags.begin(), flags.end());
    // Not destroyed: a compiler that goes while the program ends leaves the module as it is.
    static attune::clang_compiler const& compiler = *new attune::clang_compiler(in_process());
    return callable_of(compiler.compile(kernel, request()));
}

/// A shared library of this text, as lib<name>.so in the folder.
bool build_library(attune::detail::temporary_folder const& folder, std::string const& name,
                   std::string const& text, std::vector<std::string> const& flags = {})
{
    std::string const source = folder.write(name + ".cpp", text);
    std::vector<std::string> command{"g++", "-shared", "-fPIC", source, "-o"};
    command.push_back(folder.path() + "/lib" + name + ".so");
    command.insert(command.end(), flags.begin(), flags.end());
    return attune::detail::run_process(command, 60).succeeded();
}

} // namespace

TEST_CASE("what a kernel may use gives the same results by both compilers, also as a winner")
{
    if (!has_clang() || !has_gpp() || !has_linker()) return;
    attune_test::cache_folder const folder;
    attune::clang_compiler const compiler = in_process(folder.options());
    for (subject const& s : subjects) {
        CAPTURE(std::string(s.name));
        attune::kernel_source const kernel = source_of(s);
        attune::callable code = callable_of(spawned().compile(kernel, request()));
        std::string const right = results_of(code);
        code = callable_of(compiler.compile(kernel, request()));
        CHECK(results_of(code) == right);
        code = callable_of(compiler.compile(kernel, request()));
        CHECK(code.from_cache);
        CHECK(results_of(code) == right);
        REQUIRE(compiler.keep_winner(kernel, request()));
        auto winner = compiler.find_winner(kernel, request());
        REQUIRE(winner.has_value());
        code = *std::exchange(winner, {});
        CHECK(results_of(code) == right);
    }
}

TEST_CASE("a thread_local variable of a library that is loaded is the library's")
{
    if (!has_clang() || !has_gpp() || !has_linker()) return;
    attune::detail::temporary_folder const folder;
    REQUIRE(
        build_library(folder, "threads",
                      "thread_local long attune_test_of_thread = 40;\n"
                      "extern \"C\" long attune_test_get() { return attune_test_of_thread; }\n"));
    std::string const path = folder.path() + "/libthreads.so";
    std::string const text = "extern thread_local long attune_test_of_thread;\n"
                             "long f(long x, void*) { return attune_test_of_thread += x; }\n";
    SUBCASE("by a flag")
    {
        attune::callable const code = compiled(text.c_str(), {"-L" + folder.path(), "-lthreads"});
        CHECK(code.as<function>()(2, nullptr) == 42);
    }
    SUBCASE("by the program")
    {
        void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        REQUIRE(handle != nullptr);
        attune::callable const code = compiled(text.c_str());
        CHECK(code.as<function>()(2, nullptr) == 42);
        CHECK(reinterpret_cast<long (*)()>(::dlsym(handle, "attune_test_get"))() == 42);
    }
}

TEST_CASE("thread_local objects of a thread live as long as the thread, not as long as the code")
{
    if (!has_clang() || !has_linker()) return;
    char const* const text =
        "#include <vector>\n"
        "struct noted {\n    long* at = nullptr;\n    std::vector<long> more{1, 2, 3};\n"
        "    ~noted() { if (at) *at += more.size(); }\n};\n"
        "struct last { long* at = nullptr; ~last() { if (at) *at += 100; } };\n"
        "static last of_all;\n"
        "long f(long x, void* place)\n{\n"
        "    thread_local noted mine;\n"
        "    of_all.at = mine.at = static_cast<long*>(place);\n    return x;\n}\n";
    static std::array<long, 8> places{}; // static objects of the code write to them at exit
    std::atomic<int> called{0};
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < static_cast<int>(places.size()); ++i) {
        attune::callable code = compiled(text, {"-DNUMBER=" + std::to_string(i)});
        long* const place = &places[static_cast<std::size_t>(i)];
        CHECK(code.as<function>()(i, nullptr) == i);
        std::thread([&] { (void)code.as<function>()(i, place); }).join(); // before the unloading
        CHECK(*place == 3);
        threads.emplace_back([&, place, f = code.as<function>()] {
            (void)f(i, place);
            ++called;
            while (!over)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        while (called <= i)
            std::this_thread::yield();
    } // unloads the code, which the last thread uses
    over = true;
    for (std::thread& thread : threads)
        thread.join();
    (void)compiled("long f(long x, void*) { return x; }\n"); // unloads what waits
    for (long const place : places)
        CHECK((place == 6 || place == 106)); // a static object of this thread's may be last
}

TEST_CASE("40 variants with thread_local objects that come and go leave no mapping behind")
{
    if (!has_clang() || !has_linker() || address_sanitized || thread_sanitized) return;
    std::size_t before = 0;
    for (int i = 0; i < 40; ++i) {
        if (i == 10) before = mapped_regions();
        attune::callable const code =
            compiled("struct counted { long n = NUMBER; ~counted() { n = 0; } };\n"
                     "long f(long x, void*) { thread_local counted mine; return mine.n += x; }\n",
                     {"-DNUMBER=" + std::to_string(i)});
        long elsewhere = 0;
        std::thread([&] { elsewhere = code.as<function>()(1, nullptr); }).join();
        REQUIRE(elsewhere == i + 1);
    }
    CHECK(mapped_regions() <= before + 10);
}

TEST_CASE("code whose threads run on stays until they have ended")
{
    for (bool const by_clang : {true, false}) {
        if (by_clang ? !has_clang() : !has_gpp()) continue;
        CAPTURE(by_clang);
        attune::kernel_source const kernel = source_of(
            {"", "#include <atomic>\n#include <thread>\n"
                 "struct shared { std::atomic<long> turns, over, destroyed; };\n"
                 "struct noted { shared* at = nullptr; ~noted() { if (at) at->destroyed = 1; } };\n"
                 "static noted last;\n"
                 "long f(long, void* given)\n{\n"
                 "    auto* const all = last.at = static_cast<shared*>(given);\n"
                 "    std::thread([all] { while (!all->over) ++all->turns; }).detach();\n"
                 "    return 0;\n}\n"});
        struct shared {
            std::atomic<long> turns, over, destroyed;
        };
        static std::array<shared, 2> both{};
        shared& all = both[by_clang ? 0 : 1];
        auto const compile = [&](attune::kernel_source const& k) {
            return by_clang ? callable_of(in_process().compile(k, request()))
                            : callable_of(spawned().compile(k, request()));
        };
        compile(kernel).as<function>()(0, &all); // and unloads it
        for (long const seen = all.turns; all.turns < seen + 1000;)
            std::this_thread::yield();
        CHECK(all.destroyed == 0);
        all.over = 1;
        attune::kernel_source const other =
            source_of({"", "long f(long x, void*) { return x; }\n"});
        for (int i = 0; i < 20 && all.destroyed == 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            (void)compile(other); // its unloading looks after what waits
        }
        CHECK(all.destroyed == 1);
    }
}

TEST_CASE("code that the end of a thread calls stays")
{
    for (bool const by_clang : {true, false}) {
        if (by_clang ? !has_clang() : !has_gpp()) continue;
        CAPTURE(by_clang);
        attune::kernel_source const kernel = source_of(
            {"", "#include <pthread.h>\n"
                 "static pthread_key_t const key = [] {\n"
                 "    pthread_key_t made;\n"
                 "    pthread_key_create(&made, [](void* at) { ++*static_cast<long*>(at); });\n"
                 "    return made;\n}();\n"
                 "long f(long x, void* at) { return pthread_setspecific(key, at), x; }\n"});
        long ended = 0;
        std::thread([&] {
            attune::callable const code = by_clang
                                              ? callable_of(in_process().compile(kernel, request()))
                                              : callable_of(spawned().compile(kernel, request()));
            code.as<function>()(1, &ended);
        }).join();
        CHECK(ended == 1);
    }
}

TEST_CASE("a thread object that nobody joins does not end the program with its code")
{
    if (!has_clang()) return;
    static std::atomic<long> over{0};
    pid_t const child = fork(); // the object would end this program when that ends by itself
    if (child == 0) {
        (void)compiled("#include <atomic>\n#include <thread>\n"
                       "long f(long x, void* over)\n{\n"
                       "    static std::thread one([over] {\n"
                       "        while (*static_cast<std::atomic<long>*>(over) == 0) {}\n    });\n"
                       "    return x;\n}\n")
            .as<function>()(1, &over);
        over = 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        for (int i = 0; i < 2; ++i) // their unloading looks after what waits
            (void)compiled("long f(long x, void*) { return x; }\n");
        _exit(0);
    }
    CHECK(attune_test::status_of(child) == 0);
}

TEST_CASE("a pool of threads is joined when its code is unloaded")
{
    if (!has_clang()) return;
    std::atomic<long> joined{0};
    (void)compiled(
        "#include <atomic>\n#include <condition_variable>\n#include <mutex>\n#include <thread>\n"
        "struct pool {\n"
        "    std::mutex lock;\n    std::condition_variable woken;\n    bool over = false;\n"
        "    std::atomic<long>* at = nullptr;\n"
        "    std::thread thread{[this] {\n"
        "        std::unique_lock mine(lock);\n        while (!over) woken.wait(mine);\n    }};\n"
        "    ~pool()\n    {\n        { std::lock_guard mine(lock); over = true; }\n"
        "        woken.notify_all();\n        thread.join();\n        *at = 1;\n    }\n};\n"
        "long f(long x, void* at)\n{\n"
        "    static pool one;\n    one.at = static_cast<std::atomic<long>*>(at);\n"
        "    return x;\n}\n")
        .as<function>()(1, &joined);
    CHECK(joined == 1);
}

TEST_CASE("a child of fork() can throw beside code that throws, also where another thread threw")
{
    if (!has_clang() || !has_linker()) return;
    attune::callable const code =
        compiled("long f(long x, void*) { if (x == 7) throw x; return x; }\n");
    auto const throws = [&] {
        try {
            return code.as<function>()(7, nullptr) == 0;
        } catch (long thrown) {
            return thrown == 7;
        }
    };
    CHECK(throws());
    std::atomic<bool> is_over{false};
    std::thread throwing([&] {
        while (!is_over)
            static_cast<void>(throws());
    });
    int bad = 0;
    for (int i = 0; i < 200 && bad == 0; ++i) {
        pid_t const child = fork();
        if (child == 0) {
            alarm(10);
            _exit(throws() ? 0 : 1);
        }
        waitpid(child, &bad, 0);
    }
    is_over = true;
    throwing.join();
    CHECK(bad == 0);
}

TEST_CASE("an exception passes through code that calls the program by an address alone")
{
    if (!has_clang()) return;
    long (*const thrower)(long) = [](long x) -> long { throw x; };
    attune::callable const code = compiled(
        "long f(long x, void* at) { return (*static_cast<long (**)(long)>(at))(x) + 1; }\n");
    long caught = 0;
    try {
        static_cast<void>(
            code.as<function>()(7, const_cast<void*>(static_cast<void const*>(&thrower))));
    } catch (long thrown) {
        caught = thrown;
    }
    CHECK(caught == 7);
    // A function that catches all lets none out, and is found by its tables all the same.
    for (char const* const text :
         {"long f(long x, void* at)\n"
          "{ try { return (*static_cast<long (**)(long)>(at))(x); } catch (...) { return -1; } }\n",
          "long f(long, void*) noexcept { try { throw 1; } catch (int n) { return -n; } }\n"})
        CHECK(compiled(text).as<function>()(
                  7, const_cast<void*>(static_cast<void const*>(&thrower))) == -1);
}

TEST_CASE("a winner calls the same functions of the C library as its variant")
{
    if (!has_clang() || !has_linker()) return;
    attune_test::cache_folder const folder;
    attune::clang_compiler const compiler = in_process(folder.options());
    attune::kernel_source const kernel = source_of(
        {"", "#include <pthread.h>\n"
             "long f(long, void*) { return reinterpret_cast<long>(&pthread_cond_timedwait); }\n"});
    long const expected =
        callable_of(compiler.compile(kernel, request())).as<function>()(0, nullptr);
    CHECK(expected == reinterpret_cast<long>(&::pthread_cond_timedwait));
    REQUIRE(compiler.keep_winner(kernel, request()));
    auto const winner = compiler.find_winner(kernel, request());
    REQUIRE(winner.has_value());
    CHECK(winner->as<function>()(0, nullptr) == expected);
}

TEST_CASE(
    "a static object whose constructor throws is made once, and what was made before it is gone")
{
    constexpr char const* tale = "ATTUNE_TEST_TALE"; // a letter for each construction and its end
    auto const text = [](std::string const& more) {
        return "#include <stdexcept>\n#include <stdlib.h>\n#include <string>\n" + more +
               "static void note(char c)\n{\n"
               "    char const* const before = getenv(\"ATTUNE_TEST_TALE\");\n"
               "    setenv(\"ATTUNE_TEST_TALE\", (std::string(before) + c).c_str(), 1);\n}\n"
               "static struct first { first() { note('a'); } ~first() { note('b'); } } one;\n"
               "static struct second { second() { note('c'); throw std::runtime_error(\"no\"); } } "
               "two;\n"
               "long f(long x, void*) { return x + (&one != nullptr) + (&two != nullptr); }\n";
    };
    if (!has_clang() || !has_linker()) return;
    attune_test::cache_folder const folder;
    attune::clang_compiler const compiler{{.cache = folder.options()}};
    for (std::string const more : {"", "thread_local std::string mine = \"x\";\n"})
        for (bool const is_again : {false, true}) { // from the cache
            CAPTURE(more);
            CAPTURE(is_again);
            attune_test::set_variable const begun(tale, "");
            attune::failure const why =
                failure_of(compiler.compile(source_of({"", text(more).c_str()}), request()));
            CHECK(why.stage == attune::failure_stage::load);
            CHECK(why.reason == "a static object of the kernel threw an exception: no");
            CHECK(std::string(::getenv(tale)) == "acb");
        }
}

TEST_CASE("without a linker a sentence says what is missing, and what needs none is loaded")
{
    if (!has_clang()) return;
    attune::detail::temporary_folder const empty;
    attune_test::set_variable const nothing("PATH", empty.path());
    attune::clang_compiler const compiler = in_process();
    auto const reason = [&](char const* text) {
        return failure_of(compiler.compile(source_of({"", text}), request())).reason;
    };
    CHECK(reason("thread_local long n = 1;\nlong f(long x, void*) { return n += x; }\n") ==
          "clang_compiler needs a linker for this kernel, because it has thread_local variables: "
          "neither ld nor ld.lld is in PATH; install one (Debian: apt install binutils), which "
          "system_compiler needs as well");
    CHECK(reason("long absent(int);\nlong f(long x, void*) { return absent(x); }\n")
              .find("because it needs the symbol 'absent(int)', which this process lacks: neither "
                    "ld nor ld.lld is in PATH") != std::string::npos);
    CHECK(compiled("long f(long x, void*) { return x + 1; }\n").as<function>()(1, nullptr) == 2);
    CHECK(
        compiled("long n = 1;\n"
                 "long f(long x, void*) { return __atomic_fetch_add(&n, x, __ATOMIC_SEQ_CST); }\n")
            .as<function>()(1, nullptr) == 1);
}

TEST_CASE("what cannot be linked into the process names the compiler that can")
{
    if (!has_clang() || !has_linker() || address_sanitized || thread_sanitized) return;
    auto const reason = [](char const* flag) {
        attune::kernel_source kernel =
            source_of({"", "long f(long x, void*) { return int(x) + 2147483000; }\n"});
        kernel.flags.emplace_back(flag);
        return failure_of(in_process().compile(kernel, request())).reason;
    };
    for (char const* const flag : {"-fsanitize=undefined", "--coverage"})
        CHECK(reason(flag).find("(clang_compiler could not link it into this process: the library "
                                "of a flag such as -fsanitize=undefined or --coverage has it, "
                                "which system_compiler can link)") != std::string::npos);
    CHECK(reason("-fsanitize=address")
              .find("code that was compiled with -fsanitize=address runs only in a program that "
                    "was linked with this flag") != std::string::npos);
    if (!has_gpp()) return;
    attune::kernel_source kernel = source_of({"", "long f(long x, void*) { return x; }\n"});
    kernel.flags.emplace_back("-fsanitize=address"); // its library would end this program
    CHECK(failure_of(spawned().compile(kernel, request())).reason.find("-fsanitize=address") !=
          std::string::npos);
}

TEST_CASE("opening code and libraries leaves the floating-point environment as it is")
{
    if (!has_gpp()) return;
    std::fesetround(FE_DOWNWARD);
    std::vector<char const*> flags{"-ffast-math", "-Ofast", "-funsafe-math-optimizations"};
#if defined(__x86_64__)
    flags.insert(flags.end(), {"-mpc32", "-mpc64"});
#endif
    auto const unchanged = [] {
        bool same = std::fegetround() == FE_DOWNWARD;
#if defined(__x86_64__)
        unsigned short control = 0;
        asm volatile("fnstcw %0" : "=m"(control));
        same = same && (_mm_getcsr() & 0x8040U) == 0 && (control & 0x300) == 0x300;
#endif
        return same;
    };
    for (char const* const flag : flags) {
        CAPTURE(std::string(flag));
        attune::kernel_source kernel = source_of({"", "long f(long x, void*) { return x; }\n"});
        kernel.flags.emplace_back(flag);
        attune::callable const code = callable_of(spawned().compile(kernel, request()));
        CHECK(unchanged());
        CHECK(code.as<function>()(5, nullptr) == 5);
    }
    attune::detail::temporary_folder const folder;
    REQUIRE(build_library(folder, "quick",
                          "extern \"C\" long attune_test_quick(long x) { return x + 1; }\n",
                          {"-ffast-math", "-Wl,-z,nodelete"}));
    if (has_clang()) {
        attune::callable const code =
            compiled("extern \"C\" long attune_test_quick(long);\n"
                     "long f(long x, void*) { return attune_test_quick(x); }\n",
                     {"-L" + folder.path(), "-lquick"});
        CHECK(unchanged());
        CHECK(code.as<function>()(5, nullptr) == 6);
    }
    std::fesetround(FE_TONEAREST);
}
