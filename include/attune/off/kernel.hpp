// attune/off/kernel.hpp - attune::kernel and its source with ATTUNE_OFF, and its compiled default.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/core/element.hpp>
#include <attune/core/embedded_file.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::off::inline ATTUNE_ABI::detail {

/// The function compiled by attune_add_kernel, by name, type and file.
struct wanted_default {
    std::string_view name; ///< as attune::kernel has it: "sgemm", "widen<WIDTH>"
    attune::detail::function_type type{};
    std::string_view path; ///< path of the kernel's source; at least its file name must be equal
    attune::detail::linked_entries<attune::detail::function_ahead>
        linked{}; ///< lists of the code that declares the kernel
};

/// Number of equal names at the ends of two paths.
[[nodiscard]] constexpr std::size_t equal_names(std::string_view one, std::string_view other)
{
    std::size_t count = 0;
    while (!one.empty() && !other.empty()) {
        std::size_t const i = one.rfind('/') + 1;
        std::size_t const j = other.rfind('/') + 1;
        if (one.substr(i) != other.substr(j)) break;
        ++count;
        one = one.substr(0, i > 0 ? i - 1 : 0);
        other = other.substr(0, j > 0 ? j - 1 : 0);
    }
    return count;
}

/// The function compiled by attune_add_kernel whose file fits best, in wanted.linked or else in the
/// caller's program or library. compile/ahead also compares the kernel's text; here no kernel file
/// is read.
/// Errors   attune::error: there is none, or two fit equally
[[nodiscard]] inline void* find_default(wanted_default const& wanted)
{
    attune::detail::function_ahead const* best = nullptr;
    std::size_t most = 0;
    bool is_one_of_two = false;
    std::string other; // reason to refuse a function of this name
    for (auto const& linked : {wanted.linked, attune::detail::linked_with_caller().functions}) {
        for (attune::detail::function_ahead const* const each : linked) {
            attune::detail::function_ahead const& one = *each;
            if (wanted.name != one.name) continue;
            if (!attune::detail::same_type(one.type, wanted.type)) {
                other = std::string("that of ") + one.path + " is a " +
                        std::string(attune::detail::written_type(one.type.text)) +
                        ", and the kernel is declared as " +
                        std::string(attune::detail::written_type(wanted.type.text));
                continue;
            }
            if (best != nullptr && std::string_view(best->path) == one.path &&
                std::string_view(best->flags) == one.flags)
                continue; // the same file, in two object libraries of the program
            std::size_t const fits = equal_names(one.path, wanted.path);
            if (fits == 0) other = std::string("there is one of another file, ") + one.path;
            if (fits == most) is_one_of_two = true;
            if (fits <= most) continue;
            best = &one;
            most = fits;
            is_one_of_two = false;
        }
        if (best != nullptr) break;
    }
    std::string const what(wanted.name);
    if (best == nullptr)
        throw error("ATTUNE_OFF: the program contains no default of a kernel",
                    what + (other.empty() ? "" : ": " + other),
                    "add attune_add_kernel(<target> <file>) to CMakeLists.txt, or call "
                    "kernel.fallback(f)");
    if (is_one_of_two)
        throw error("ATTUNE_OFF: two kernel files of the program have one name",
                    what + " of " + std::string(wanted.path),
                    "name the folder too, or call kernel.fallback(f)");
    return best->address();
}

} // namespace attune::off::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_OFF_ABI {

struct kernel_source {
    std::string text{};
    std::string path{};
    std::vector<std::string> include_dirs{};
    std::vector<std::string> flags{};
    void const* generator = nullptr; ///< null: no text is written
};

/// Reads nothing: the file may be absent.
[[nodiscard]] inline kernel_source source_file(std::string path)
{
    return {.path = std::move(path)};
}
[[nodiscard]] inline kernel_source source_text(std::string text, std::string name)
{
    return {.text = std::move(text), .path = std::move(name)};
}
[[nodiscard]] inline kernel_source embedded_source(std::string name)
{
    return {.path = std::move(name)};
}
/// Writes nothing: kernel.fallback(f) is the default.
template <class Pack, class F>
[[nodiscard]] kernel_source generated_source(Pack const&, F const&, std::string name,
                                             std::string revision)
{
    return {.text = std::move(revision), .path = std::move(name)};
}

struct work {
    double flops = 0;
    double bytes = 0;
    bool double_precision = false;
    unsigned threads = 0;
    double sums = 0;
    unsigned sum_bytes = 0;
    double loads = 0;
    unsigned load_bytes = 0;
};

/// The argument type of kernel.work(f), which never runs.
class configuration_view {
public:
    template <class P>
    [[nodiscard]] typename P::value_type operator[](P const&) const
    {
        return {};
    }
};

template <class Signature>
class kernel;
/// Accepts the declarations for a tuning and ignores them.
template <class Result, class... Args>
class kernel<Result(Args...)> {
public:
    using signature = Result(Args...);
    using function = Result (*)(Args...);

    template <class Pack>
    [[gnu::visibility("hidden")]] // required by linked_with_caller()
    kernel(std::string name, kernel_source source, Pack const&)
        : name_(std::move(name))
        , path_(std::move(source.path))
        , type_(detail::function_type_of<signature>())
        , linked_(detail::linked_with_caller().functions)
    {
    }

    template <std::size_t Position, class Input>
    kernel& bind(Input const&)
    {
        static_assert(Position < sizeof...(Args), "attune: kernel.bind<i>: no such argument");
        return *this;
    }
    template <class F>
    kernel& fallback(F f)
    {
        fallback_ = f;
        return *this;
    }
    template <class F>
    kernel& slow_fallback(F f)
    {
        return fallback(f);
    }
    template <class F>
    kernel& precondition(F const&)
    {
        return *this;
    }

    template <class... E>
    kernel& grid(E const&...)
    {
        return *this;
    }
    template <class... E>
    kernel& block(E const&...)
    {
        return *this;
    }
    template <class... E>
    kernel& cluster(E const&...)
    {
        return *this;
    }
    template <class E>
    kernel& shared_bytes(E const&)
    {
        return *this;
    }
    template <class Launch>
    kernel& launched(Launch const&)
    {
        return *this;
    }
    kernel& cooperative() { return *this; }
    template <class... C>
    kernel& require(C const&...)
    {
        return *this;
    }
    template <class E>
    kernel& memory(E const&)
    {
        return *this;
    }
    template <class... F>
    kernel& features(F const&...)
    {
        return *this;
    }
    template <std::size_t Position, class E>
    kernel& extent(E const&)
    {
        return *this;
    }
    kernel& any_shape() { return *this; }
    kernel& any_alignment() { return *this; }
    template <class... E>
    kernel& lengths(E const&...)
    {
        return *this;
    }
    template <class F>
    kernel& calls(F const&)
    {
        return *this;
    }
    template <class... Contents>
    kernel& contents(Contents...)
    {
        return *this;
    }
    template <std::size_t Position>
    kernel& ignore()
    {
        return *this;
    }
    template <std::size_t Position, class F>
    kernel& bucket(F const&)
    {
        return *this;
    }
    template <class F>
    kernel& bucket(F const&)
    {
        return *this;
    }
    template <std::size_t Position>
    kernel& tolerate(tolerance)
    {
        return *this;
    }
    kernel& tolerate_result(tolerance) { return *this; }
    template <class F>
    kernel& check(F const&)
    {
        return *this;
    }
    template <class F>
    kernel& check_error(double, F const&)
    {
        return *this;
    }
    kernel& bound_energy(double) { return *this; }
    template <class F>
    kernel& objective(std::string const&, goal, F const&)
    {
        return *this;
    }
    template <class F>
    kernel& reference(F const&)
    {
        return *this;
    }
    template <class F, class Serves>
    kernel& reference(F const&, Serves const&)
    {
        return *this;
    }
    template <class F>
    kernel& baseline(F const&)
    {
        return *this;
    }
    template <class... F>
    kernel& work(F const&...)
    {
        return *this;
    }

    [[nodiscard]] std::string const& name() const noexcept { return name_; }

    /// Errors   attune::error: the program does not contain it
    [[nodiscard]] function default_function() const
    {
        if (fallback_ != nullptr) return fallback_;
        return reinterpret_cast<function>(off::detail::find_default(
            {.name = name_, .type = type_, .path = path_, .linked = linked_}));
    }

private:
    std::string name_;
    std::string path_;
    detail::function_type type_;
    detail::linked_entries<detail::function_ahead> linked_;
    function fallback_ = nullptr;
};

} // namespace attune::inline ATTUNE_OFF_ABI
