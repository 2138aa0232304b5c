// tests/compile/any_compiler.cpp - what a compiler leaves out is filled in.
// SPDX-License-Identifier: MIT
#include <attune/compile/compiler.hpp>

#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <utility>

#include "../support/minimal_compiler.hpp"

namespace {

/// Keeps one variant, and has something to say.
struct talkative_compiler : attune_test::minimal_compiler {
    bool* is_kept = nullptr;

    [[nodiscard]] static std::string notice() { return "I stand in for another"; }
    [[nodiscard]] std::optional<attune::callable> find_winner(attune::kernel_source const&,
                                                              attune::compile_request const&) const
    {
        if (!*is_kept) return {};
        return attune::callable{.object_key = "kept"};
    }
    bool keep_winner(attune::kernel_source const&, attune::compile_request const&) const
    {
        *is_kept = true;
        return true;
    }
};

} // namespace

TEST_CASE("a compiler with the required part alone says and keeps nothing")
{
    attune_test::minimal_compiler compiler{};
    static_assert(!attune::remembering_compiler<attune_test::minimal_compiler>);
    static_assert(!attune::noticing_compiler<attune_test::minimal_compiler>);
    static_assert(!attune::sizing_compiler<attune_test::minimal_compiler>);
    attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
    CHECK(any.identity() == std::string{compiler.identity()});
    CHECK(any.notice().empty());
    CHECK(any.code_quantities().empty());
    CHECK_FALSE(any.keep_winner({}, {}));
    CHECK_FALSE(any.find_winner({}, {}).has_value());
}

TEST_CASE("the optional parts are passed on, by reference and from a shared copy")
{
    bool is_kept = false;
    talkative_compiler compiler{};
    compiler.is_kept = &is_kept;
    static_assert(attune::remembering_compiler<talkative_compiler>);
    static_assert(attune::noticing_compiler<talkative_compiler>);
    attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
    talkative_compiler other{};
    other.is_kept = &is_kept;
    attune::detail::any_compiler const shared = attune::detail::share_compiler(std::move(other));
    CHECK(any.notice() == "I stand in for another");
    CHECK(shared.notice() == "I stand in for another");
    CHECK_FALSE(shared.find_winner({}, {}).has_value());
    CHECK(any.keep_winner({}, {}));
    CHECK(shared.find_winner({}, {})->object_key == "kept");
}
