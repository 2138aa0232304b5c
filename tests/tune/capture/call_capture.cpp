// tests/tune/capture/call_capture.cpp - ATTUNE_CAPTURE writes one call, or says why not.
// SPDX-License-Identifier: MIT
#include <attune/tune/capture/call_capture.hpp>

#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune::detail::capture_name_of;
using attune::detail::capture_reader;
using attune::detail::capture_wish_in;
using namespace attune_test;

namespace {

/// What a program says that calls the kernel with so many elements, each time by a new object.
std::string said_with(std::string const& variable, std::vector<std::size_t> const& sizes = {1000})
{
    set_variable const here("ATTUNE_CAPTURE", variable);
    recorded_progress heard;
    auto options = quick_options(heard.sink());
    options.on_miss = attune::miss_policy::lookup_only;
    attune::tuned accumulate{accumulate_kernel(ways<fast>(), accumulate_source("1")),
                             accumulate_compiler(), attune::memory_store{}, options};
    for (std::size_t const size : sizes) {
        accumulate_data data(size);
        accumulate(data.x, data.y, 3.0);
        CHECK(data.called_times(1, 3.0));
    }
    return heard.texts(attune::progress_event::notice);
}

} // namespace

TEST_CASE("the variable names a kernel, and maybe a limit and a file")
{
    auto const is = [](std::string_view text, std::string const& kernel,
                       std::uint64_t bytes = std::uint64_t{256} << 20,
                       std::string const& path = {}) {
        auto const got = capture_wish_in(text);
        return got && got->kernel == kernel && got->most_bytes == bytes && got->path == path;
    };
    CHECK(is("sgemm", "sgemm"));
    CHECK(is("sgemm:64MiB", "sgemm", 64 << 20));
    CHECK(is("sgemm:64M", "sgemm", 64 << 20));
    CHECK(is("sgemm:1GB", "sgemm", 1 << 30));
    CHECK(is("sgemm:12KiB", "sgemm", 12 << 10));
    CHECK(is("sgemm:100", "sgemm", 100));
    CHECK(is("linear::sgemm", "linear::sgemm"));
    CHECK(is("linear::sgemm<4>:0", "linear::sgemm<4>", 0));
    CHECK(is("sgemm=/tmp/a:b=c", "sgemm", std::uint64_t{256} << 20, "/tmp/a:b=c"));
    CHECK(is("sgemm:1K=here", "sgemm", 1024, "here"));
    for (char const* wrong :
         {"", ":", "::", ":64MiB", "=file", "sgemm:", "sgemm=", "sgemm:much", "sgemm:64XiB",
          "sgemm:-1", "sgemm:1.5G", "sgemm:18446744073709551616", "sgemm:17179869184GiB"})
        CHECK_MESSAGE(!capture_wish_in(wrong), wrong);
    CHECK(capture_name_of("sgemm") == "sgemm.capture");
    CHECK(capture_name_of("linear::sgemm<4, x>") == "linear__sgemm_4__x_.capture");
    CHECK(capture_name_of("../x") == "_._x.capture");
    CHECK(capture_name_of(std::string(1000, 'a')).size() < 200);
}

TEST_CASE("the first call with elements is captured, as it was before the call, and once")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("accumulate.capture");
    std::string const said = said_with("accumulate=" + folder.path(), {0, 1000, 2000});
    CHECK(has(said, "a call (16000 bytes) is captured in " + path));
    CHECK(has(said, "attune retune accumulate.capture -- PROGRAM"));
    CHECK(std::filesystem::status(path).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    capture_reader file = capture_reader::of_file(path);
    CHECK(file.call().kernel == "accumulate");
    CHECK(file.call().signature == "void(std::span<double const>, std::span<double>, double)");
    std::string const bytes = file.take_bytes();
    std::vector<double> values(2000);
    REQUIRE(bytes.size() == 16000);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    CHECK(values[999] == 1000.0);
    CHECK(values[1000] == 100.0);
    CHECK(values[1999] == 100.0);
    CHECK(said_with("accumulate=" + folder.path()).empty()); // another object, the same file
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("what cannot be written costs the program nothing but a sentence")
{
    support::scratch_directory const folder;
    CHECK(said_with("other=" + folder.path()).empty());
    CHECK(has(said_with("accumulate:64XiB"), "ATTUNE_CAPTURE is 'accumulate:64XiB'"));
    std::string const small = said_with("accumulate:15999=" + folder.file("small"), {1000, 10});
    CHECK(has(small, "(16000 bytes) take more than the limit of 15999 bytes"));
    CHECK(has(small, "ATTUNE_CAPTURE=accumulate:1MiB allows them"));
    CHECK(!std::filesystem::exists(folder.file("small")));
    CHECK(has(said_with("accumulate=" + folder.file("none/a")), "No such file or directory"));
    CHECK(has(said_with("accumulate=/dev/full"), "not a regular file"));
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK(has(said_with("accumulate=" + folder.file("pipe")), "not a regular file"));
    std::filesystem::remove(folder.file("pipe"));
    CHECK(has(said_with("accumulate=/proc/self/a.capture"), "no call is captured"));
    support::write_file(folder.file("notes"), "precious");
    CHECK(has(said_with("accumulate=" + folder.file("notes")), "a file that is no capture"));
    CHECK(support::read_file(folder.file("notes")) == "precious");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("of several processes one has written the file, whole")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("a.capture");
    std::vector<::pid_t> children;
    for (int i = 0; i < 6; ++i) {
        ::pid_t const child = ::fork();
        if (child == 0) {
            std::string const said = said_with("accumulate=" + path, {std::size_t{1000} << i});
            ::_exit(has(said, "is captured") ? 0 : 1);
        }
        children.push_back(child);
    }
    for (::pid_t const child : children) {
        int status = -1;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
        CHECK(capture_reader::of_file(path).take_bytes().size() % 16000 == 0);
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
