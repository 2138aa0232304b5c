// attune/off/kernel.hpp - attune::kernel and its source in files with ATTUNE_OFF: a name, and where the default is.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
#pragma once

#include <attune/compile/ahead/ahead_list.hpp>
#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/core/element.hpp>
#include <attune/core/embedded_file.hpp>
#include <attune/core/shape/call_draw.hpp>
#include <attune/core/shape/length_formula.hpp>
#include <attune/core/version.hpp>
#include <attune/off/find_default.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_OFF_ABI {

struct kernel_source {
    std::string text{};
    std::string path{};
    std::vector<std::string> include_dirs{};
    std::vector<std::string> flags{};
};

/// Reads nothing: the file need not be there.
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

/// What kernel.work(f) may be given; nobody calls `f`.
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
/// What is declared for a tuning is taken and forgotten.
template <class Result, class... Args>
class kernel<Result(Args...)> {
public:
    using signature = Result(Args...);
    using function = Result (*)(Args...);

    template <class Pack>
    [[gnu::visibility("hidden")]] // as linked_with_caller() asks
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
