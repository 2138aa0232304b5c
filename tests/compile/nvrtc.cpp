// tests/compile/nvrtc.cpp - compiles a variant for a CUDA device, with NVIDIA's runtime compiler.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc.hpp>

#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/device_span.hpp>

#include "../laws/compiler.hpp"
#include "../support/device_subject.hpp"
#include "../support/needs_nvrtc.hpp"

using attune::device_variant_of;
using attune_test::device_callable;
using attune_test::device_subject;
using attune_test::has_nvrtc;
using attune_test::nvrtc_for;
using attune_test::without_device;

namespace {

char const* const scale_text =
    "#include <attune/tunable.hpp>\n"
    "constexpr int factor = ATTUNE_TUNABLE(FACTOR, 2);\n"
    "extern \"C\" __global__ void scale(float const* x, float* y, int n)\n"
    "{\n"
    "    int const i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = factor * x[i];\n"
    "}\n";

using scale_signature = void(attune::device_span<float const>, std::span<float>, int);

attune::compile_request scale_variant(std::string factor = "3")
{
    attune::compile_request v = attune::variant_of<scale_signature>("scale");
    v.macros = {{"FACTOR", std::move(factor)}};
    v.launch.block = {256, 1, 1};
    return v;
}

} // namespace

TEST_CASE("nvrtc_compiler keeps the laws of a compiler")
{
    if (has_nvrtc()) attune_laws::compiler_laws<device_subject>([] { return nvrtc_for(90); });
}

TEST_CASE("nvrtc_compiler is a compiler for a device")
{
    static_assert(attune::device_compiler<attune::nvrtc_compiler>);
    if (!has_nvrtc()) return;
    attune::nvrtc_compiler const compiler = nvrtc_for(90);
    attune::nvrtc_compiler const copy = compiler;
    CHECK(&compiler.target() == &copy.target());
    CHECK(compiler.target().limits.architecture == 90);
    CHECK_FALSE(compiler.target().can_run());
    CHECK(compiler.notice().find("compiles for sm_90 and runs nothing: ") == 0);
}

TEST_CASE("the identity names version, architecture and flags")
{
    if (!has_nvrtc()) return;
    std::string const version = attune_test::nvrtc_here().first->version();
    attune::nvrtc_options options = without_device(80);
    CHECK(attune::nvrtc_compiler(options).identity() == "nvrtc " + version + " sm_80 --std=c++20");
    options.flags = {"--std=c++17", "--use_fast_math"};
    CHECK(attune::nvrtc_compiler(options).identity() ==
          "nvrtc " + version + " sm_80 --std=c++17 --use_fast_math");
}

TEST_CASE("a kernel compiles for every architecture, and a host span is a pointer to it")
{
    for (int const architecture : {75, 80, 90}) {
        if (!has_nvrtc(architecture)) continue;
        CAPTURE(architecture);
        attune::nvrtc_compiler const compiler = nvrtc_for(architecture);
        attune::callable const code = device_callable(
            compiler.compile(attune::source_text(scale_text, "scale.cu"), scale_variant()));
        attune::device_variant const& made = device_variant_of(code);
        CHECK(made.code.architecture == architecture);
        CHECK(made.code.entry == "scale");
        CHECK(made.code.image.substr(1, 3) == "ELF");
        CHECK(made.code.resources.registers > 0);
        CHECK(made.code.resources.spill_bytes == 0);
        CHECK(made.launch == scale_variant().launch);
        CHECK_FALSE(code.from_cache);
    }
}

TEST_CASE("two launches of one code are two objects, two names of one code are one")
{
    if (!has_nvrtc()) return;
    attune::nvrtc_compiler const compiler = nvrtc_for();
    attune::kernel_source const kernel = attune::source_text(scale_text, "scale.cu");
    attune::compile_request v = scale_variant();
    attune::callable const narrow = device_callable(compiler.compile(kernel, v));
    v.launch.block = {128, 1, 1};
    attune::callable const wide = device_callable(compiler.compile(kernel, v));
    CHECK(device_variant_of(narrow).code.image == device_variant_of(wide).code.image);
    CHECK(narrow.object_key != wide.object_key);

    attune::kernel_source const pair = attune::source_text(
        "template <int Unused> __global__ void one(float* x) { x[threadIdx.x] *= 2; }\n", "one.cu");
    attune::compile_request const first = attune::variant_of<void(float*)>("one<1>");
    attune::compile_request const second = attune::variant_of<void(float*)>("one<2>");
    CHECK(device_callable(compiler.compile(pair, first)).object_key ==
          device_callable(compiler.compile(pair, second)).object_key);
}

TEST_CASE("templates and namespaces are named as in C++, with macros")
{
    if (!has_nvrtc()) return;
    attune::nvrtc_compiler const compiler = nvrtc_for();
    attune::kernel_source const kernel = attune::source_text(
        "namespace linear {\n"
        "template <int M, class T> __global__ void gemm(T const* a, T* __restrict__ c, int const "
        "n)\n"
        "{\n    __shared__ T pool[M];\n    pool[threadIdx.x % M] = a[n];\n    __syncthreads();\n"
        "    c[n] = pool[n % M];\n}\n"
        "__global__ void plain(float* x) { x[0] = 1; }\n}\n",
        "gemm.cu");
    attune::compile_request v =
        attune::variant_of<void(float const*, float*, int)>("linear::gemm<TILE_M, float>");
    for (int const tile : {16, 64}) {
        v.macros = {{"TILE_M", std::to_string(tile)}};
        attune::callable const code = device_callable(compiler.compile(kernel, v));
        attune::device_code const& made = device_variant_of(code).code;
        CHECK(made.entry == "_ZN6linear4gemmILi" + std::to_string(tile) + "EfEEvPKT0_PS1_i");
        CHECK(made.resources.static_shared_bytes == 4 * tile);
    }
    attune::callable const plain = device_callable(
        compiler.compile(kernel, attune::variant_of<void(float*)>("linear::plain")));
    CHECK(device_variant_of(plain).code.entry == "_ZN6linear5plainEPf");
}

TEST_CASE("flags of compiler, kernel and variant reach NVRTC, the later one holds")
{
    if (!has_nvrtc()) return;
    attune::nvrtc_options options = without_device();
    options.flags = {"--std=c++17", "-DLEVEL=1"};
    attune::nvrtc_compiler const compiler(options);
    attune::kernel_source kernel = attune::source_text(
        "extern \"C\" __global__ void k(float* x)\n"
        "{\n    __shared__ char pool[LEVEL * (__cplusplus / 100)];\n"
        "    pool[threadIdx.x] = x[1];\n    __syncthreads();\n    x[0] = pool[threadIdx.y];\n}\n",
        "k.cu");
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    auto const shared = [&] {
        return device_variant_of(device_callable(compiler.compile(kernel, v)))
            .code.resources.static_shared_bytes;
    };
    CHECK(shared() == 2017);
    kernel.flags = {"--std=c++20"};
    CHECK(shared() == 2020);
    v.flags = {"--std=c++14", "-ULEVEL", "-DLEVEL=2"};
    CHECK(shared() == 2 * 2014);
    CHECK(device_callable(compiler.compile(kernel, v)).compiler ==
          compiler.identity() + " --std=c++20 --std=c++14 -ULEVEL -DLEVEL=2");
}

TEST_CASE("a file in quotes is looked up beside the kernel, then in the include folders, in order")
{
    if (!has_nvrtc()) return;
    attune::detail::temporary_folder const folder;
    (void)folder.write("kernels/beside.h", "#define BESIDE 1\n#include \"deep/deeper.h\"\n");
    (void)folder.write("kernels/deep/deeper.h", "#include \"deepest.h\"\n");
    (void)folder.write("kernels/deep/deepest.h", "#define DEEPEST 2\n");
    (void)folder.write("first/both.h", "#define BOTH 4\n");
    (void)folder.write("second/both.h", "#define BOTH 999\n");
    (void)folder.write("second/only.h", "#define ONLY 8\n");
    std::string const path = folder.write(
        "kernels/k.cu", "#include \"beside.h\"\n#include \"both.h\"\n#include <only.h>\n"
                        "extern \"C\" __global__ void k(float* x)\n"
                        "{\n    __shared__ char pool[BESIDE + DEEPEST + BOTH + ONLY];\n"
                        "    pool[threadIdx.x] = x[1];\n    __syncthreads();\n    x[0] = "
                        "pool[threadIdx.y];\n}\n");
    attune::kernel_source kernel = attune::source_file(path);
    kernel.include_dirs = {folder.path() + "/first", folder.path() + "/second"};
    attune::callable const code =
        device_callable(nvrtc_for().compile(kernel, attune::variant_of<void(float*)>("k")));
    CHECK(device_variant_of(code).code.resources.static_shared_bytes == 15);
}

TEST_CASE("the toolkit's own headers are found")
{
    if (!has_nvrtc()) return;
    if (attune_test::nvrtc_here().first->include_dirs.empty()) {
        MESSAGE("skipped: the library lies in no toolkit with headers");
        return;
    }
    attune::kernel_source const kernel = attune::source_text(
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void k(float* x) { x[0] = __half2float(__float2half(x[1])); }\n",
        "k.cu");
    (void)device_callable(nvrtc_for().compile(kernel, attune::variant_of<void(float*)>("k")));
}
