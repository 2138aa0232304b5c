// tests/compile/nvrtc_headers.cpp - headers that nvrtc_compiler parses once, and when it must not.
// SPDX-License-Identifier: MIT
#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "../support/cache_folder.hpp"
#include "../support/needs_nvrtc.hpp"

using attune_test::device_callable;
using attune_test::has_nvrtc;
using attune_test::without_device;

namespace {

bool has_precompiled_headers()
{
    if (!has_nvrtc()) return false;
    if (attune_test::nvrtc_here().first->has_precompiled_headers()) return true;
    MESSAGE("skipped: this NVRTC has no precompiled headers");
    return false;
}

/// A kernel that takes as many bytes of shared memory as its macros and headers come to.
std::string kernel_text(std::string const& before, std::string const& bytes)
{
    return before + "extern \"C\" __global__ void k(float* x)\n{\n    __shared__ char pool[" +
           bytes +
           "];\n    pool[threadIdx.x] = x[1];\n    __syncthreads();\n"
           "    x[0] = pool[threadIdx.y];\n}\n";
}

attune::compile_request variant_for(int tile)
{
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.macros = {{"TILE", std::to_string(tile)}};
    return v;
}

std::int64_t shared_bytes(attune::compile_result const& made)
{
    return attune::device_variant_of(device_callable(made)).code.resources.static_shared_bytes;
}

bool equal(attune::header_statistics const& is, attune::header_statistics const& wanted)
{
    return is.created == wanted.created && is.reused == wanted.reused && is.failed == wanted.failed;
}

} // namespace

TEST_CASE("variants of one kernel parse its headers once, and copies share that")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("base.h", "#pragma once\n#define BASE 100\n");
    attune::kernel_source const kernel = attune::source_file(
        folder.write("k.cu", kernel_text("#include \"base.h\"\n", "BASE + TILE")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    for (int tile = 1; tile <= 4; ++tile) {
        attune::nvrtc_compiler const copy = compiler;
        CHECK(shared_bytes(copy.compile(kernel, variant_for(tile))) == 100 + tile);
    }
    CHECK(equal(compiler.headers(), {1, 3, 0}));
    // Flags that decide about code alone do not ask for other headers; those for the language do.
    attune::compile_request v = variant_for(7);
    v.flags = {"--maxrregcount=32"};
    (void)device_callable(compiler.compile(kernel, v));
    CHECK(equal(compiler.headers(), {1, 4, 0}));
    v.flags = {"--use_fast_math"};
    (void)device_callable(compiler.compile(kernel, v));
    (void)device_callable(compiler.compile(kernel, v));
    CHECK(equal(compiler.headers(), {2, 5, 0}));
    (void)device_callable(compiler.compile(kernel, variant_for(8)));
    CHECK(equal(compiler.headers(), {2, 6, 0}));
}

TEST_CASE("the code is the same with headers parsed once and every time")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("base.h", "template <int N> __device__ float power(float x)\n"
                                 "{ return N == 0 ? 1.0f : x * power<(N > 0 ? N - 1 : 0)>(x); }\n");
    attune::kernel_source const kernel = attune::source_file(
        folder.write("k.cu", "#include \"base.h\"\nextern \"C\" __global__ void k(float* x)\n"
                             "{ x[threadIdx.x] = power<TILE>(x[threadIdx.x]); }\n"));
    attune::nvrtc_compiler const once = attune_test::nvrtc_for();
    attune::nvrtc_options options = without_device();
    options.precompile_headers = false;
    attune::nvrtc_compiler const every_time(options);
    for (int tile = 1; tile <= 4; ++tile)
        CHECK(device_callable(once.compile(kernel, variant_for(tile))).object_key ==
              device_callable(every_time.compile(kernel, variant_for(tile))).object_key);
    CHECK(equal(once.headers(), {1, 3, 0}));
    CHECK(equal(every_time.headers(), {0, 0, 0}));
}

TEST_CASE("a header that changes is parsed again, at any depth, and so is one that comes back")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    auto const base = [&](int bytes) {
        (void)folder.write("deep/base.h", "#define BASE " + std::to_string(bytes) + "\n");
    };
    base(100);
    (void)folder.write("outer.h", "#include \"deep/base.h\"\n");
    attune::kernel_source const kernel = attune::source_file(
        folder.write("k.cu", kernel_text("#include \"outer.h\"\n", "BASE + TILE")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(1))) == 101);
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(2))) == 102);
    base(200);
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(2))) == 202);
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(3))) == 203);
    base(100);
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(3))) == 103);
    CHECK(equal(compiler.headers(), {2, 3, 0}));
}

TEST_CASE("a header that mentions a parameter sees it, and the headers before are parsed once")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    (void)folder.write("tile.h", "#include <attune/tunable.hpp>\n"
                                 "constexpr int twice = 2 * ATTUNE_TUNABLE(TILE, 16);\n");
    (void)folder.write("outer.h", "#include \"tile.h\"\n");
    attune::kernel_source const kernel = attune::source_file(folder.write(
        "k.cu",
        kernel_text("#include <attune/tunable.hpp>\n#include \"base.h\"\n#include \"outer.h\"\n",
                    "BASE + twice")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    for (int tile = 1; tile <= 3; ++tile)
        CHECK(shared_bytes(compiler.compile(kernel, variant_for(tile))) == 100 + 2 * tile);
    CHECK(equal(compiler.headers(), {1, 2, 0}));
}

TEST_CASE("directives that depend on a parameter see it")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("a.h", "#define SIZE 100\n");
    (void)folder.write("b.h", "#define SIZE 200\n");
    attune::kernel_source const kernel = attune::source_file(folder.write(
        "k.cu", kernel_text("#ifndef TILE\n#define TILE 999\n#endif\n"
                            "#if TILE > 2\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif\n",
                            "SIZE + TILE")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(1))) == 201);
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(3))) == 103);
    CHECK(equal(compiler.headers(), {0, 0, 0}));
}

TEST_CASE("an include that a macro names is read anew every time")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    attune::kernel_source const kernel = attune::source_file(folder.write(
        "k.cu", kernel_text("#define NAME \"base.h\"\n#include NAME\n", "BASE + TILE")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(1))) == 101);
    (void)folder.write("base.h", "#define BASE 300\n");
    CHECK(shared_bytes(compiler.compile(kernel, variant_for(1))) == 301);
    CHECK(equal(compiler.headers(), {0, 0, 0}));
}

TEST_CASE("a kernel without headers has nothing to parse once")
{
    if (!has_precompiled_headers()) return;
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    CHECK(shared_bytes(compiler.compile(
              attune::source_text(kernel_text("#include <attune/tunable.hpp>\n", "TILE"), "k.cu"),
              variant_for(5))) == 5);
    CHECK(equal(compiler.headers(), {0, 0, 0}));
}

TEST_CASE("an error behind parsed headers still has its own line")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    attune::kernel_source kernel = attune::source_file(
        folder.write("k.cu", kernel_text("#include \"base.h\"\n", "BASE + TILE")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    (void)device_callable(compiler.compile(kernel, variant_for(1)));
    kernel.text += "__device__ int y = nothing;\n"; // line 9
    attune::failure const f = attune_test::device_failure(compiler.compile(kernel, variant_for(2)));
    CHECK(attune_test::contains(f.reason, "k.cu:9: error: identifier \"nothing\" is undefined"));
    CHECK_FALSE(attune_test::contains(f.log, "precompiled"));
    CHECK_FALSE(attune_test::contains(f.log, "PCH"));
    CHECK(equal(compiler.headers(), {1, 1, 0}));
}

TEST_CASE("threads that begin with the same headers at once all get right code")
{
    if (!has_precompiled_headers()) return;
    attune_test::cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    attune::kernel_source const kernel = attune::source_file(
        folder.write("k.cu", kernel_text("#include \"base.h\"\n", "BASE + TILE")));
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 1; i <= 4; ++i) {
                attune::compile_result const made =
                    compiler.compile(kernel, variant_for(10 * t + i));
                auto const* const code = std::get_if<attune::callable>(&made);
                if (code != nullptr &&
                    attune::device_variant_of(*code).code.resources.static_shared_bytes ==
                        100 + 10 * t + i)
                    ++right;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(right == 16);
    attune::header_statistics const is = compiler.headers();
    CHECK(is.created + is.reused == 16);
    CHECK(is.reused >= 12);
    CHECK(is.failed == 0);
}
