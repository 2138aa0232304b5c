// tests/compile/nvrtc/library.cpp - NVIDIA's runtime compiler, opened at run time.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc/library.hpp>

#include <attune/core/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

#include "../../support/needs_nvrtc.hpp"

using attune_test::contains;

namespace {

std::string said_of(std::string const& path, int most_major = 0)
{
    try {
        (void)attune::detail::nvrtc::open_library(path, most_major);
    } catch (attune::error const& thrown) {
        return thrown.what();
    }
    return "opened";
}

/// An environment variable, until the end of the block.
class set_variable {
public:
    set_variable(char const* name, std::string const& value)
        : name_(name)
    {
        if (char const* const before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    ~set_variable()
    {
        if (before_.empty())
            ::unsetenv(name_);
        else
            ::setenv(name_, before_.c_str(), 1);
    }
    set_variable(set_variable const&) = delete;
    set_variable& operator=(set_variable const&) = delete;

private:
    char const* name_;
    std::string before_{};
};

} // namespace

TEST_CASE("a library that is not there is named, with what the loader says and what to do")
{
    std::string const said = said_of("/nowhere/libnvrtc.so.99");
    CHECK(contains(said, "NVIDIA's runtime compiler '/nowhere/libnvrtc.so.99' cannot be used"));
    CHECK(contains(said, "cannot open shared object file"));
    CHECK(contains(said, "attune::nvrtc_options::library"));
    set_variable const variable("ATTUNE_NVRTC", "/nowhere/else.so");
    CHECK(contains(said_of({}), "'/nowhere/else.so' cannot be used"));
    CHECK(contains(said_of({}), "set ATTUNE_NVRTC to the path of a libnvrtc.so, or unset it"));
}

TEST_CASE("a library that is another one is told by the function that it lacks")
{
    CHECK(contains(said_of("libc.so.6"), "libc.so.6: it has no function nvrtc"));
}

TEST_CASE("NVRTC says its version and what it makes code for")
{
    if (!attune_test::has_nvrtc()) return;
    auto const library = attune::detail::nvrtc::open_library();
    CHECK(library->major >= 12);
    CHECK(library->version() ==
          std::to_string(library->major) + '.' + std::to_string(library->minor));
    CHECK(std::is_sorted(library->architectures.begin(), library->architectures.end()));
    CHECK(library->makes_code_for(90));
    CHECK_FALSE(library->makes_code_for(91));
    CHECK(library->path.find("nvrtc") != std::string::npos);
    CHECK(std::string(library->get_error_string(6)) == "NVRTC_ERROR_COMPILATION");
    CHECK(library->has_precompiled_headers() == (library->major * 100 + library->minor >= 1208));
    for (std::string const& folder : library->include_dirs)
        CHECK(folder.find("include") != std::string::npos);
    // By the path that it has, and by the variable, it is the same one.
    CHECK(attune::detail::nvrtc::open_library(library->path)->path == library->path);
    set_variable const variable("ATTUNE_NVRTC", library->path);
    CHECK(attune::detail::nvrtc::open_library()->version() == library->version());
}

TEST_CASE("a toolkit that is newer than the driver is passed over, and both are named")
{
    if (!attune_test::has_nvrtc()) return;
    auto const library = attune::detail::nvrtc::open_library();
    CHECK(said_of(library->path, library->major) == "opened");
    CHECK(said_of(library->path, library->major + 1) == "opened");
    std::string const said = said_of(library->path, library->major - 1);
    CHECK(contains(said, "the driver is older than the CUDA toolkit: it serves CUDA " +
                             std::to_string(library->major - 1) + ", and code of NVRTC " +
                             library->version() + " needs a driver of CUDA " +
                             std::to_string(library->major) + " or later"));
    CHECK(contains(said, library->path));
    CHECK(contains(said, "update the driver, or install NVRTC"));
}
