// tests/support/needs_nvrtc.hpp - for tests of what needs NVRTC, which few machines have.
// SPDX-License-Identifier: MIT
//
// A case begins with `if (!attune_test::has_nvrtc()) return;`: it is skipped with the reason. No
// device is used: the compilers are told of none, wherever they run.
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/library.hpp>
#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace attune_test {

/// NVRTC, or the reason why it is not there.
inline std::pair<std::shared_ptr<attune::detail::nvrtc::library const>, std::string> const&
nvrtc_here()
{
    static auto const found =
        []() -> std::pair<std::shared_ptr<attune::detail::nvrtc::library const>, std::string> {
        try {
            return {attune::detail::nvrtc::open_library(), {}};
        } catch (attune::error const& thrown) {
            return {nullptr, thrown.what()};
        }
    }();
    return found;
}

/// False, with a message, where NVRTC is not installed or does not know the architecture.
inline bool has_nvrtc(int architecture = 90)
{
    auto const& [library, why] = nvrtc_here();
    if (library && library->makes_code_for(architecture)) return true;
    std::string const reason = library ? "NVRTC " + library->version() + " does not know sm_" +
                                             std::to_string(architecture)
                                       : why;
    MESSAGE("skipped: " << reason);
    return false;
}

/// Compiles for an architecture and keeps nothing, whatever device there is.
inline attune::nvrtc_options without_device(int architecture = 90)
{
    attune::nvrtc_options options;
    options.architecture = architecture;
    options.driver = "no driver in this test";
    options.cache.enabled = false;
    return options;
}

inline attune::nvrtc_compiler nvrtc_for(int architecture = 90)
{
    return attune::nvrtc_compiler(without_device(architecture));
}

inline attune::callable device_callable(attune::compile_result const& result)
{
    if (auto const* const failed = std::get_if<attune::failure>(&result))
        FAIL("did not compile: " << failed->reason << "\n" << failed->log);
    return std::get<attune::callable>(result);
}

inline attune::failure device_failure(attune::compile_result const& result)
{
    REQUIRE(std::holds_alternative<attune::failure>(result));
    return std::get<attune::failure>(result);
}

inline bool contains(std::string const& text, std::string const& part)
{
    return text.find(part) != text.npos;
}

} // namespace attune_test
