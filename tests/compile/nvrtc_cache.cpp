// tests/compile/nvrtc_cache.cpp - nvrtc_compiler over the object cache.
// SPDX-License-Identifier: MIT
#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <filesystem>
#include <string>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/device_subject.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/second_time.hpp"

using attune::device_variant_of;
using attune_test::cache_folder;
using attune_test::device_callable;
using attune_test::has_nvrtc;
using attune_test::without_device;

namespace {

attune::nvrtc_compiler over(cache_folder const& folder, int architecture = 90)
{
    attune::nvrtc_options options = without_device(architecture);
    options.cache = folder.options();
    return attune::nvrtc_compiler(options);
}

std::string const text = "#include \"base.h\"\n"
                         "template <int N> __global__ void __launch_bounds__(64) k(float* x)\n"
                         "{\n    __shared__ char pool[N + BASE];\n    pool[threadIdx.x] = x[1];\n"
                         "    __syncthreads();\n    x[0] = pool[threadIdx.y];\n}\n";

attune::compile_request variant_for(int tile)
{
    attune::compile_request v = attune::variant_of<void(float*)>("k<TILE>");
    v.macros = {{"TILE", std::to_string(tile)}};
    v.launch.block = {64, 1, 1};
    return v;
}

bool same(attune::device_code const& a, attune::device_code const& b)
{
    return a.image == b.image && a.entry == b.entry && a.architecture == b.architecture &&
           a.resources == b.resources;
}

} // namespace

TEST_CASE("code from the cache keeps the laws of a compiler")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    attune_laws::compiler_laws<attune_test::device_subject>(
        [&] { return attune_test::second_time{over(folder), over(folder)}; });
}

TEST_CASE("what was compiled is there in the next run, bit by bit, with its figures")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    attune::kernel_source const kernel = attune::source_file(folder.write("k.cu", text));
    attune::nvrtc_compiler const first = over(folder);
    CHECK_FALSE(first.find_winner(kernel, variant_for(1)).has_value());
    CHECK_FALSE(first.keep_winner(kernel, variant_for(1)));
    attune::callable const made = device_callable(first.compile(kernel, variant_for(1)));
    CHECK_FALSE(made.from_cache);
    CHECK(first.keep_winner(kernel, variant_for(1)));
    attune::nvrtc_compiler const second = over(folder);
    attune::callable const found = device_callable(second.compile(kernel, variant_for(1)));
    CHECK(found.from_cache);
    CHECK(found.object_key == made.object_key);
    CHECK(found.compiler == made.compiler);
    CHECK(same(device_variant_of(found).code, device_variant_of(made).code));
    CHECK(device_variant_of(found).code.resources.most_threads == 64);
    CHECK(device_variant_of(found).code.resources.static_shared_bytes == 101);
    CHECK(second.statistics().hits == 1);
    auto const winner = second.find_winner(kernel, variant_for(1));
    REQUIRE(winner.has_value());
    CHECK(winner->object_key == made.object_key);
    CHECK(second.statistics().hits == 1); // a winner is not counted
    // The code does not depend on the launch, which comes from the variant.
    attune::compile_request other = variant_for(1);
    other.launch.block = {32, 1, 1};
    attune::callable const launched = device_callable(second.compile(kernel, other));
    CHECK(launched.from_cache);
    CHECK(device_variant_of(launched).launch == other.launch);
    CHECK(launched.object_key != made.object_key);
    other.launch.block = {96, 1, 1}; // more than __launch_bounds__ says
    CHECK(attune_test::device_failure(second.compile(kernel, other)).stage ==
          attune::failure_stage::launch);
    CHECK_FALSE(second.find_winner(kernel, other).has_value());
}

TEST_CASE("whatever decides about the code is part of its key")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    attune::kernel_source const kernel = attune::source_file(folder.write("k.cu", text));
    (void)device_callable(over(folder).compile(kernel, variant_for(1)));
    CHECK_FALSE(device_callable(over(folder).compile(kernel, variant_for(2))).from_cache);
    if (has_nvrtc(80))
        CHECK_FALSE(device_callable(over(folder, 80).compile(kernel, variant_for(1))).from_cache);
    attune::compile_request v = variant_for(1);
    v.flags = {"--use_fast_math"};
    CHECK_FALSE(device_callable(over(folder).compile(kernel, v)).from_cache);
    attune::kernel_source edited = kernel;
    edited.text += "// more\n";
    CHECK_FALSE(device_callable(over(folder).compile(edited, variant_for(1))).from_cache);
    attune::kernel_source flagged = kernel;
    flagged.flags = {"--fmad=false"};
    CHECK_FALSE(device_callable(over(folder).compile(flagged, variant_for(1))).from_cache);
    attune::nvrtc_options options = without_device();
    options.cache = folder.options();
    options.flags = {"--std=c++17"};
    CHECK_FALSE(device_callable(attune::nvrtc_compiler(options).compile(kernel, variant_for(1)))
                    .from_cache);
    CHECK(device_callable(over(folder).compile(kernel, variant_for(1))).from_cache);
}

TEST_CASE("a header that changed, or that hides another one, is compiled anew")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    (void)folder.write("include/base.h", "#include \"deep/er.h\"\n");
    (void)folder.write("include/deep/er.h", "#define BASE 100\n");
    attune::kernel_source kernel = attune::source_file(folder.write("k.cu", text));
    kernel.include_dirs = {kernel.path.substr(0, kernel.path.rfind('/')) + "/include"};
    attune::nvrtc_compiler const in_memory = attune_test::nvrtc_for();
    auto const next = [&] {
        attune::callable const code = device_callable(over(folder).compile(kernel, variant_for(1)));
        attune::callable const same = device_callable(in_memory.compile(kernel, variant_for(1)));
        CHECK(device_variant_of(same).code.image == device_variant_of(code).code.image);
        return std::pair(code.from_cache,
                         device_variant_of(code).code.resources.static_shared_bytes);
    };
    CHECK(next() == std::pair(false, std::int64_t{101}));
    CHECK(next() == std::pair(true, std::int64_t{101}));
    (void)folder.write("include/deep/er.h", "#define BASE 200\n");
    CHECK(next() == std::pair(false, std::int64_t{201}));
    CHECK(next() == std::pair(true, std::int64_t{201}));
    (void)folder.write("base.h", "#define BASE 300\n"); // beside the kernel, which comes first
    CHECK(next() == std::pair(false, std::int64_t{301}));
    CHECK(next() == std::pair(true, std::int64_t{301}));
}

TEST_CASE("what cannot be depended on is not kept")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    for (std::string const& before : {std::string("#define NAME \"base.h\"\n#include NAME\n"),
                                      std::string("// built __TIME__\n#include \"base.h\"\n")}) {
        attune::kernel_source const kernel =
            attune::source_text(before + text, folder.write("k.cu", before + text));
        for (int i = 0; i < 2; ++i)
            CHECK_FALSE(device_callable(over(folder).compile(kernel, variant_for(1))).from_cache);
    }
}

TEST_CASE("failures are not kept, and damaged code is compiled anew")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    (void)folder.write("base.h", "#define BASE 100\n");
    attune::kernel_source const kernel = attune::source_file(folder.write("k.cu", text));
    attune::kernel_source broken = kernel;
    broken.text += "int x = ;\n";
    for (int i = 0; i < 2; ++i)
        (void)attune_test::device_failure(over(folder).compile(broken, variant_for(1)));
    attune::callable const made = device_callable(over(folder).compile(kernel, variant_for(1)));
    for (std::filesystem::path const& file : folder.files())
        attune_test::replace_text(file, "attune cache 1\nwhatever");
    attune::callable const again = device_callable(over(folder).compile(kernel, variant_for(1)));
    CHECK_FALSE(again.from_cache);
    CHECK(again.object_key == made.object_key);
}
