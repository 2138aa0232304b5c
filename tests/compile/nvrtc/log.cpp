// tests/compile/nvrtc/log.cpp - what NVRTC said, as attune's other compilers say it.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc/detail/run.hpp>

#include <doctest/doctest.h>

using attune::detail::device_compile_failure;
using attune::detail::first_device_error;
using attune::detail::readable_log;
using attune::detail::source_line;
using attune::detail::with_line_number;

namespace {

attune::kernel_source const kernel{"one\ntwo\nthree\n", "dir/k.cu", {}, {}};
attune::compile_request const plain{"k", "void", {}, {}};

} // namespace

TEST_CASE("NVRTC's places are written as those of other compilers")
{
    CHECK(with_line_number("dir/k.cu(12): error: x") == "dir/k.cu:12: error: x");
    CHECK(with_line_number("a (b).cu(3): warning #177-D: y") == "a (b).cu:3: warning #177-D: y");
    CHECK(with_line_number("f(int): no line") == "f(int): no line");
    CHECK(with_line_number("(7): no file") == "(7): no file");
    CHECK(with_line_number("") == "");
}

TEST_CASE("lines of a text are counted from one")
{
    CHECK(source_line("a\nb\nc", 1) == "a");
    CHECK(source_line("a\nb\nc", 3) == "c");
    CHECK(source_line("a\nb\nc", 4) == "");
}

TEST_CASE("the log loses what is no diagnostic")
{
    std::string const log = "\"k.cu\": creating precompiled header file \"/tmp/x/k_0.pch\"\n"
                            "\n\n\nRemark: The warnings can be suppressed with \"-diag\"\n\n"
                            "dir/k.cu(2): warning #177-D: unused\n  two\n  ^\n\n"
                            "ptxas info    : 0 bytes gmem\n"
                            "ptxas         .     0 bytes stack frame\n"
                            "ptxas fatal   : Unresolved extern function 'f'\n";
    CHECK(readable_log(log, kernel) == "dir/k.cu:2: warning #177-D: unused\n  two\n  ^\n\n"
                                       "ptxas fatal   : Unresolved extern function 'f'\n");
}

TEST_CASE("a source line that NVRTC left out is put below its diagnostic")
{
    CHECK(readable_log("dir/k.cu(3): error: x\ndir/k.cu(9): error: y\nother.h(1): error: z\n",
                       kernel) ==
          "dir/k.cu:3: error: x\n  three\ndir/k.cu:9: error: y\nother.h:1: error: z\n");
}

TEST_CASE("the first error is that of the front end, of ptxas or of the options")
{
    CHECK(first_device_error("a:1: warning: w\na:2: error: e\na:3: error: f\n") == "a:2: error: e");
    CHECK(first_device_error("ptxas info : x\nptxas fatal   : y\n") == "ptxas fatal   : y");
    CHECK(first_device_error("nvrtc: error: unrecognized option -O3 found\n") ==
          "nvrtc: error: unrecognized option -O3 found");
    CHECK(first_device_error("k.cu:1: catastrophic error: cannot open\n") ==
          "k.cu:1: catastrophic error: cannot open");
    CHECK(first_device_error("all is well\n").empty());
}

TEST_CASE("a failure has the first error as its reason, and its log holds the reason")
{
    attune::failure const f = device_compile_failure(
        "dir/k.cu(2): error: expected an expression\n  two\n   ^\n", "E", kernel, plain);
    CHECK(f.stage == attune::failure_stage::compile);
    CHECK(f.reason == "dir/k.cu:2: error: expected an expression");
    CHECK(f.log == "dir/k.cu:2: error: expected an expression\n  two\n   ^\n");
    attune::failure const silent =
        device_compile_failure("", "NVRTC_ERROR_COMPILATION", kernel, plain);
    CHECK(silent.reason == "NVRTC failed without a message: NVRTC_ERROR_COMPILATION");
    CHECK(silent.log.find(silent.reason) == 0);
    attune::failure const entry = device_compile_failure(
        "attune entry of dir/k.cu(2): error: the global scope has no \"k\"\n", "E", kernel, plain);
    CHECK(entry.reason.find("attune entry of dir/k.cu: error: attune: kernel 'k' is not defined in "
                            "dir/k.cu; the program declares it as void()") == 0);
    CHECK(entry.log.find(entry.reason) == 0);
    CHECK(entry.log.find("attune entry of dir/k.cu:2: error: the global scope") !=
          std::string::npos);
}

TEST_CASE("a header that is missing comes with advice when the environment is to blame")
{
    auto const reason = [](std::string const& name) {
        return device_compile_failure(
                   "dir/k.cu(1): catastrophic error: cannot open source file \"" + name + "\"\n",
                   "E", kernel, plain)
            .reason;
    };
    CHECK(reason("cstdint").find("include <cuda/std/cstdint>") != std::string::npos);
    CHECK(reason("cuda_fp16.h").find("add the toolkit's include folder") != std::string::npos);
    CHECK(reason("cuda/std/array").find("add the toolkit's include folder") != std::string::npos);
    CHECK(reason("mine.h").find('(') == std::string::npos);
}
