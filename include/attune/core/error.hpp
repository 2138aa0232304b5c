// attune/core/error.hpp - errors: an unusable environment, a wrong declaration, a broken precondition.
// SPDX-License-Identifier: MIT
// Source   house style 3.4: one configuration that fails is an `outcome`, never an exception
#pragma once

#include <attune/core/version.hpp>

#include <cstdio>
#include <cstdlib>

namespace attune::inline ATTUNE_ABI::detail {

[[noreturn]] inline void assertion_failed(char const* condition, char const* why, char const* file,
                                          int line)
{
    std::fprintf(stderr, "attune: broken precondition: %s\n  why:   %s\n  where: %s:%d\n",
                 condition, why, file, line);
    std::abort();
}

} // namespace attune::inline ATTUNE_ABI::detail

/// ATTUNE_ASSERT(condition, "why it must hold"): aborts with a text if `condition` is false. With
/// NDEBUG defined, `condition` is not evaluated.
#ifdef NDEBUG
#define ATTUNE_ASSERT(condition, why) static_cast<void>(0)
#else
#define ATTUNE_ASSERT(condition, why)                                                              \
    ((condition) ? static_cast<void>(0)                                                            \
                 : ::attune::detail::assertion_failed(#condition, why, __FILE__, __LINE__))
#endif

// See core/version.hpp. This copy serves headers of a released program other than
// ship/baked.hpp.
#ifndef __cpp_exceptions
#include <attune needs exceptions: leave out -fno-exceptions for the files that include attune>
#endif

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// Thrown if tuning cannot continue: no compiler, a missing kernel file, an empty space. The text
/// has three parts; each part is readable alone.
class error : public std::runtime_error {
public:
    /// @param what   one sentence, lower case, without a full stop: "kernel file not found"
    /// @param where  the file, parameter, constraint or device concerned; may be empty
    /// @param next   what the user can do; may be empty
    error(std::string const& what, std::string const& where, std::string const& next)
        : std::runtime_error(compose(what, where, next))
        , where_(where)
        , next_(next)
    {
    }

    /// The constructor's `what`: "kernel file not found".
    [[nodiscard]] std::string what_alone() const
    {
        std::string const text = what();
        return text.substr(prefix().size(), text.find('\n') - prefix().size());
    }
    [[nodiscard]] std::string const& where() const noexcept { return where_; }
    [[nodiscard]] std::string const& next() const noexcept { return next_; }

private:
    static std::string_view prefix() noexcept { return "attune: "; }
    static std::string compose(std::string const& what, std::string const& where,
                               std::string const& next)
    {
        std::string text = std::string(prefix()) + what;
        if (!where.empty()) text += "\n  where: " + where;
        if (!next.empty()) text += "\n  next:  " + next;
        return text;
    }

    std::string where_;
    std::string next_;
};

namespace detail {

/// The text of the exception being handled, of any type.
/// @pre  called in a `catch` block
[[nodiscard]] inline std::string text_of_exception()
{
    try {
        throw;
    } catch (std::exception const& thrown) {
        std::string const text = thrown.what();
        return text.empty() ? "an exception without a text" : text;
    } catch (...) {
        return "an exception that is not a std::exception";
    }
}

/// An error on one line: `what`, then `where` in parentheses.
[[nodiscard]] inline std::string sentence_of(error const& thrown)
{
    std::string const text = thrown.what_alone();
    return thrown.where().empty() ? text : text + " (" + thrown.where() + ')';
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
