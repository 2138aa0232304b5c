// tests/compile/nvrtc_errors.cpp - what nvrtc_compiler says when something is wrong.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "../support/needs_nvrtc.hpp"

using attune_test::contains;
using attune_test::device_failure;
using attune_test::has_nvrtc;
using attune_test::nvrtc_for;
using attune_test::without_device;

namespace {

attune::failure
failure_for(std::string const& text,
            attune::compile_request const& v = attune::variant_of<void(float*)>("k"),
            int architecture = 90)
{
    return device_failure(
        nvrtc_for(architecture).compile(attune::source_text(text, "dir/k.cu"), v));
}

} // namespace

TEST_CASE("a mistake is shown with file, line and the line itself")
{
    if (!has_nvrtc()) return;
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.macros = {{"A", "1"}, {"B", "2"}};
    attune::failure const f = failure_for("// one\n#include <attune/tunable.hpp>\n\n"
                                          "extern \"C\" __global__ void k(float* x)\n"
                                          "{\n    x[0] = missing + A;\n}\n",
                                          v);
    CHECK(f.stage == attune::failure_stage::compile);
    CHECK(f.reason == "dir/k.cu:6: error: identifier \"missing\" is undefined");
    CHECK(contains(f.log, f.reason + "\n      x[0] = missing + A;\n"));
    CHECK_FALSE(contains(f.log, "ptxas info"));
}

TEST_CASE("mistakes before the macros and in included files have their own places")
{
    if (!has_nvrtc()) return;
    CHECK(failure_for("#include <attune/tunable.hpp>\n#error before\n").reason ==
          "dir/k.cu:2: catastrophic error: #error directive: before");
    attune::detail::temporary_folder const folder;
    std::string const header = folder.write("wrong.h", "// fine\n__device__ int x = ;\n");
    attune::kernel_source kernel = attune::source_file(folder.write(
        "k.cu", "#include \"wrong.h\"\nextern \"C\" __global__ void k(float* x) {}\n"));
    attune::failure const f =
        device_failure(nvrtc_for().compile(kernel, attune::variant_of<void(float*)>("k")));
    CHECK(contains(f.reason, "wrong.h:2: error: expected an expression"));
    CHECK(contains(f.log, "__device__ int x = ;"));
}

TEST_CASE("without NVRTC's own source lines the log still has them")
{
    if (!has_nvrtc()) return;
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.flags = {"--brief-diagnostics=true"};
    attune::failure const f =
        failure_for("extern \"C\" __global__ void k(float* x)\n{ x[0] = missing; }\n", v);
    CHECK(contains(f.log, "dir/k.cu:2: error: identifier \"missing\" is undefined\n"
                          "  { x[0] = missing; }\n"));
}

TEST_CASE("another number or type of arguments is one sentence with both signatures")
{
    if (!has_nvrtc()) return;
    std::string const text =
        "extern \"C\" __global__ void k(float const* __restrict__ x, float* y, int const n) {}\n"
        "namespace deep { template <int N> __global__ void t(float* x) {} }\n";
    using right = void(std::span<float const>, float*, int);
    (void)attune_test::device_callable(
        nvrtc_for().compile(attune::source_text(text, "dir/k.cu"), attune::variant_of<right>("k")));
    std::string const is = ", but dir/k.cu defines it as void (const float *, float *, int)";
    CHECK(failure_for(text, attune::variant_of<void(float const*, float*)>("k")).reason ==
          "attune entry of dir/k.cu: error: attune: kernel 'k' is declared in the program as "
          "void(float const*, float*)" +
              is);
    attune::failure const wide = failure_for(
        text, attune::variant_of<void(std::span<float const>, std::span<float>, long)>("k"));
    CHECK(contains(wide.reason, "void(std::span<float const>, std::span<float>, long), that is as "
                                "void(float const*, float*, long) on the device" +
                                    is));
    CHECK(contains(wide.log, wide.reason));
    // One that would convert is refused too.
    CHECK(
        contains(failure_for(text, attune::variant_of<void(float*, float*, int)>("k")).reason, is));
    CHECK(contains(
        failure_for(text, attune::variant_of<void(double*)>("deep::t<4>")).reason,
        "kernel 'deep::t<4>' is declared in the program as void(double*), but dir/k.cu defines it "
        "as void (float *)"));
}

TEST_CASE("a kernel that is not there is one sentence")
{
    if (!has_nvrtc()) return;
    std::string const text = "template <int N> __global__ void t(float* x) {}\n"
                             "namespace deep { __global__ void k(float* x) {} }\n"
                             "__device__ void helper(float* x) {}\n";
    auto const reason = [&](char const* function) {
        attune::failure const f = failure_for(text, attune::variant_of<void(float*)>(function));
        CHECK(f.stage == attune::failure_stage::compile);
        return f.reason;
    };
    std::string const declared =
        " is not defined in dir/k.cu; the program declares it as void(float*)";
    CHECK(contains(reason("k"), "attune: kernel 'k'" + declared));
    CHECK(contains(reason("gone<4>"), "attune: kernel 'gone<4>'" + declared));
    CHECK(contains(reason("deep::gone"), "attune: kernel 'deep::gone'" + declared));
    CHECK(contains(reason("t<NO_MACRO>"), "identifier \"NO_MACRO\" is undefined"));
    CHECK(contains(reason("t<float>"), "kernel 't<float>'"));
    CHECK(contains(reason("helper"), "kernel 'helper' of dir/k.cu is no __global__ function"));
}

TEST_CASE("a kernel that the program declares with a result is refused before it is compiled")
{
    if (!has_nvrtc()) return;
    CHECK(failure_for("", attune::variant_of<int(float*)>("k")).reason ==
          "attune: kernel 'k' is declared in the program as int(float*), but a kernel for a device "
          "returns void");
}

TEST_CASE("a function that nobody defines is a load failure that names it")
{
    if (!has_nvrtc()) return;
    attune::failure const f = failure_for("__device__ int nobody(int);\nextern \"C\" __global__ "
                                          "void k(float* x) { x[0] = nobody(3); }\n");
    CHECK(f.stage == attune::failure_stage::load);
    CHECK(f.reason == "undefined symbol: nobody(int) (a kernel for a device is compiled alone: "
                      "define it in dir/k.cu or in a header)");
}

TEST_CASE("a flag that NVRTC does not know is a failure that names it")
{
    if (!has_nvrtc()) return;
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.flags = {"-O3"};
    attune::failure const f = failure_for("extern \"C\" __global__ void k(float* x) {}\n", v);
    CHECK(f.stage == attune::failure_stage::compile);
    CHECK(f.reason == "nvrtc: error: unrecognized option -O3 found");
    v.flags = {"-dlto"};
    CHECK(contains(failure_for("extern \"C\" __global__ void k(float* x) {}\n", v).reason,
                   "NVRTC made no code for kernel 'k'"));
}

TEST_CASE("of flags that contradict each other NVRTC hears the last one alone")
{
    if (!has_nvrtc()) return;
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.flags = {"-std=c++14", "--use_fast_math", "--use_fast_math", "--fmad=true", "-fmad=false"};
    attune::failure const f =
        failure_for("#if __cplusplus == 201402L\n#error fourteen\n#endif\n", v);
    CHECK(contains(f.reason, "dir/k.cu:2: catastrophic error: #error directive: fourteen"));
    CHECK_FALSE(contains(f.log, "followed by"));
    CHECK_FALSE(contains(f.log, "more than once"));
}

TEST_CASE("a header that NVRTC cannot have comes with what to do")
{
    if (!has_nvrtc()) return;
    CHECK(contains(failure_for("#include <vector>\n").reason, "dir/k.cu:1: catastrophic error"));
    CHECK(contains(failure_for("#include <vector>\n").reason, "include <cuda/std/vector>"));
    CHECK(contains(failure_for("#include \"mine.h\"\n").reason, "\"mine.h\""));
}

TEST_CASE("shared memory that no block can have is a sentence with both numbers")
{
    for (int const architecture : {75, 80, 90}) {
        if (!has_nvrtc(architecture)) continue;
        attune::failure const f =
            failure_for("extern \"C\" __global__ void k(float* x)\n"
                        "{ __shared__ float s[100000]; s[threadIdx.x] = x[1];\n"
                        "  __syncthreads(); x[0] = s[threadIdx.y]; }\n",
                        attune::variant_of<void(float*)>("k"), architecture);
        CHECK(f.stage == attune::failure_stage::compile);
        CHECK(contains(f.reason, "400000"));
        CHECK(contains(f.reason, "shared"));
        CHECK(contains(f.log, f.reason));
    }
}

TEST_CASE("a launch that the device does not allow is a failure of stage launch")
{
    if (!has_nvrtc()) return;
    std::string const text = "extern \"C\" __global__ void __launch_bounds__(128) k(float* x)\n"
                             "{ extern __shared__ float s[]; s[threadIdx.x] = x[1];\n"
                             "  __syncthreads(); x[0] = s[threadIdx.y]; }\n";
    attune::compile_request v = attune::variant_of<void(float*)>("k");
    v.launch.block = {128, 1, 1};
    (void)attune_test::device_callable(nvrtc_for().compile(attune::source_text(text, "k.cu"), v));
    v.launch.block = {2048, 1, 1};
    CHECK(failure_for(text, v).stage == attune::failure_stage::launch);
    CHECK(contains(failure_for(text, v).reason, "2048"));
    v.launch.block = {256, 1, 1}; // the device would, the code does not: __launch_bounds__
    CHECK(failure_for(text, v).stage == attune::failure_stage::launch);
    CHECK(contains(failure_for(text, v).reason, "128"));
    v.launch.block = {128, 1, 1};
    v.launch.shared_bytes = 1 << 20;
    CHECK(failure_for(text, v).stage == attune::failure_stage::launch);
}

TEST_CASE("a compilation that takes too long ends, where NVRTC can be stopped")
{
    if (!has_nvrtc()) return;
    if (attune_test::nvrtc_here().first->set_flow_callback == nullptr) {
        MESSAGE("skipped: this NVRTC cannot be stopped");
        return;
    }
    attune::nvrtc_options options = without_device();
    options.limit_s = 0.01;
    attune::failure const f = device_failure(attune::nvrtc_compiler(options).compile(
        attune::source_text("extern \"C\" __global__ void k(float* p)\n{\n    float a[200];\n"
                            "#pragma unroll\n    for (int i = 0; i < 200; ++i) a[i] = p[i * 3];\n"
                            "#pragma unroll\n    for (int j = 0; j < 8; ++j)\n"
                            "#pragma unroll\n        for (int i = 0; i < 200; ++i)\n"
                            "            a[i] = a[i] * a[(i * 7) % 200] + sinf(a[i]);\n"
                            "#pragma unroll\n    for (int i = 0; i < 200; ++i) p[i] = a[i];\n}\n",
                            "k.cu"),
        attune::variant_of<void(float*)>("k")));
    CHECK(f.stage == attune::failure_stage::compile);
    CHECK(contains(f.reason, "compiling kernel 'k' took longer than 0.01 s"));
}

TEST_CASE("a deadline is asked by several threads, and once it has passed, all of them stop")
{
    using std::chrono::steady_clock;
    attune::detail::nvrtc_deadline open{steady_clock::now() + std::chrono::hours(1)};
    CHECK(attune::detail::nvrtc_deadline::ask(&open, nullptr) == 0);
    CHECK_FALSE(open.passed);
    attune::detail::nvrtc_deadline over{steady_clock::now() - std::chrono::hours(1)};
    std::atomic<int> stopped = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 100; ++k)
                stopped += attune::detail::nvrtc_deadline::ask(&over, nullptr);
        });
    for (std::thread& one : threads)
        one.join();
    CHECK(stopped == 400);
    CHECK(over.passed);
}
