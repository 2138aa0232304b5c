// tests/compile/nvrtc_flags.cpp - every way to write a flag that NVRTC understands.
// SPDX-License-Identifier: MIT
#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/source/signature.hpp>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../support/cache_folder.hpp"
#include "../support/needs_nvrtc.hpp"

using attune_test::cache_folder;
using attune_test::device_callable;
using attune_test::device_failure;
using attune_test::has_nvrtc;
using attune_test::without_device;

namespace {

using flag_list = std::vector<std::string>;

/// A kernel that takes BASE bytes of shared memory.
std::string kernel_text(std::string const& before)
{
    return before + "extern \"C\" __global__ void k(float* x)\n{\n    __shared__ char pool[BASE];\n"
                    "    pool[threadIdx.x] = x[1];\n    __syncthreads();\n"
                    "    x[0] = pool[threadIdx.y];\n}\n";
}

std::string base(int bytes) { return "#define BASE " + std::to_string(bytes) + "\n"; }

attune::compile_request variant_with(flag_list flags)
{
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.flags = std::move(flags);
    return v;
}

std::int64_t shared_bytes(attune::callable const& made)
{
    return attune::device_variant_of(made).code.resources.static_shared_bytes;
}

/// The flags of a text, which has them with | between.
flag_list split(std::string const& words)
{
    flag_list out;
    std::istringstream in(words + '|');
    for (std::string one; std::getline(in, one, '|');)
        out.push_back(one);
    return out;
}

std::string shown(flag_list const& flags)
{
    std::string text;
    for (std::string const& flag : flags)
        text += '[' + flag + ']';
    return text;
}

/// The kernel reads `header` by way of the flags. After an edit neither the cache on the disk nor
/// the headers that NVRTC keeps may bring the old one back; without one, the cache has the code.
void check_that_an_edit_is_seen(cache_folder const& folder, std::string const& header,
                                attune::kernel_source const& kernel, flag_list const& flags)
{
    INFO(shown(flags));
    attune::nvrtc_options kept = without_device();
    kept.cache = folder.options();
    attune::compile_request const v = variant_with(flags);
    (void)folder.write(header, base(100));
    attune::nvrtc_compiler const in_memory = attune_test::nvrtc_for();
    CHECK(shared_bytes(device_callable(in_memory.compile(kernel, v))) == 100);
    CHECK(shared_bytes(device_callable(attune::nvrtc_compiler(kept).compile(kernel, v))) == 100);
    attune::callable const again = device_callable(attune::nvrtc_compiler(kept).compile(kernel, v));
    CHECK(again.from_cache);
    CHECK(shared_bytes(again) == 100);
    (void)folder.write(header, base(200));
    CHECK(shared_bytes(device_callable(in_memory.compile(kernel, v))) == 200);
    attune::callable const fresh = device_callable(attune::nvrtc_compiler(kept).compile(kernel, v));
    CHECK_FALSE(fresh.from_cache);
    CHECK(shared_bytes(fresh) == 200);
}

} // namespace

TEST_CASE("a header in a folder that a flag names, however it is written, is seen to change")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    attune::kernel_source const kernel =
        attune::source_file(folder.write("kernels/k.cu", kernel_text("#include \"base.h\"\n")));
    std::string const root = kernel.path.substr(0, kernel.path.find("/kernels"));
    std::string const dir = root + "/headers";
    for (std::string const& words : std::vector<std::string>{
             "-I" + dir, "-I " + dir, "-I  " + dir + ' ', " -I" + dir, "-I=" + dir, "-I|" + dir,
             "-I | " + dir, "--include-path=" + dir, "--include-path=" + dir + ' ',
             "--include-path|" + dir, "--include-path | " + dir + ' ',
             "-I" + std::filesystem::relative(dir).string(), "-D|OTHER=1|-I|" + dir})
        check_that_an_edit_is_seen(folder, "headers/base.h", kernel, split(words));
    // NVRTC gets one list: the last flag of the kernel and the first of the variant are a pair.
    attune::kernel_source with_half = kernel;
    with_half.flags = {"--include-path"};
    check_that_an_edit_is_seen(folder, "headers/base.h", with_half, {dir});
}

TEST_CASE("a header that a flag includes, however it is written, is seen to change")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    attune::kernel_source const kernel =
        attune::source_file(folder.write("kernels/k.cu", kernel_text("")));
    std::string const root = kernel.path.substr(0, kernel.path.find("/kernels"));
    std::string const header = root + "/headers/base.h";
    std::string const from_here = std::filesystem::relative(header).string();
    for (std::string const& words : std::vector<std::string>{
             "-include=" + header, "-include|" + header, "-include | " + header + ' ',
             "--pre-include=" + header, "--pre-include|" + header, "-include=" + from_here,
             "--pre-include|" + from_here, "-I|" + root + "/headers|-include|base.h"})
        check_that_an_edit_is_seen(folder, "headers/base.h", kernel, split(words));
}

TEST_CASE("a header that the kernel includes by its whole path is seen to change")
{
    if (!has_nvrtc()) return;
    cache_folder const folder;
    std::string const header = folder.write("headers/base.h", base(100));
    for (std::string const& quoted : {'"' + header + '"', '<' + header + '>'}) {
        attune::kernel_source const kernel = attune::source_file(
            folder.write("kernels/k.cu", kernel_text("#include " + quoted + "\n")));
        check_that_an_edit_is_seen(folder, "headers/base.h", kernel, {});
    }
}

TEST_CASE("a flag for another architecture is refused, however it is written")
{
    if (!has_nvrtc()) return;
    attune::kernel_source const kernel =
        attune::source_text("extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n", "k.cu");
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    for (std::string const& words : std::vector<std::string>{
             "-arch=sm_80", "-arch|sm_80", "-arch | sm_80 ", " -arch=sm_80 ", "-arch|compute_80",
             "--gpu-architecture=sm_80", "--gpu-architecture|sm_80", "-arch|sm_80|-arch=sm_90",
             "-arch=compute_90", "-arch=native"}) {
        CAPTURE(words);
        CHECK(attune_test::contains(
            device_failure(compiler.compile(kernel, variant_with(split(words)))).reason,
            "asks for another architecture than sm_90, which is compiled for"));
    }
    for (std::string const& words :
         std::vector<std::string>{"-arch|sm_90", " --gpu-architecture| sm_90 ", "-arch|sm_90a"}) {
        CAPTURE(words);
        attune::callable const made =
            device_callable(compiler.compile(kernel, variant_with(split(words))));
        CHECK(attune::device_variant_of(made).code.architecture == 90);
    }
}

TEST_CASE("of two values the later one holds, though option and value are two flags")
{
    if (!has_nvrtc()) return;
    attune::kernel_source kernel = attune::source_text(
        "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = VALUE; }\n", "k.cu");
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    kernel.flags = {"-ftz", "false", "-maxrregcount", "32", "-D", "VALUE=1"};
    attune::compile_request const v = variant_with({"--ftz=true", "--maxrregcount", "64"});
    std::string const got = device_callable(compiler.compile(kernel, v)).object_key;
    kernel.flags = {"-DVALUE=1", "--ftz=true", "--maxrregcount=64"};
    CHECK(got == device_callable(compiler.compile(kernel, variant_with({}))).object_key);
}

TEST_CASE("what NVRTC does not understand stays an error")
{
    if (!has_nvrtc()) return;
    attune::kernel_source const kernel =
        attune::source_text("extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n", "k.cu");
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for();
    for (std::string const& words :
         std::vector<std::string>{"--include-path /", "--include=/dev/null", "--I|/", "-arch sm_90",
                                  "-arch", "-lineinfo|stray", "-DX|stray", ""}) {
        CAPTURE(words);
        CHECK(device_failure(compiler.compile(kernel, variant_with(split(words)))).stage ==
              attune::failure_stage::compile);
    }
}
