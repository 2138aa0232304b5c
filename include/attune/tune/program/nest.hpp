// attune/tune/program/nest.hpp - a kernel from its mathematics: statements over arrays, and no loop.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/program.hpp>
#else
#include <attune/core/device_span.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/operators.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/program/program_facts.hpp>
#include <attune/tune/program/program_source.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// An argument whose array is in a device's memory.
template <class Argument>
struct resident_argument {
    using type = Argument;
};
template <class T>
struct resident_argument<std::span<T>> {
    using type = device_span<T>;
};

/// The inputs of a call, in the program's order; values that are not whole numbers are truncated.
template <class... Args>
[[nodiscard]] std::vector<std::int64_t> inputs_of_call(program_text const& program,
                                                       Args const&... given)
{
    std::vector<std::int64_t> out(program.nest.inputs.size());
    std::size_t at = 0;
    auto const one = [&]<class T>(T const& argument) {
        if constexpr (std::is_arithmetic_v<T>)
            out[program.arguments[at] - program.nest.arrays.size()] =
                static_cast<std::int64_t>(argument);
        ++at;
    };
    (one(given), ...);
    return out;
}

[[nodiscard]] inline std::shared_ptr<void const> copied_bytes(std::span<std::byte const> of)
{
    std::shared_ptr<std::byte[]> out(new std::byte[of.size()]);
    std::copy(of.begin(), of.end(), out.get());
    return out;
}

/// A tuning compares results with a plain nest of at most this many operations, on one core.
inline constexpr double most_reference_operations = 5e9;

/// A program behind its signature: the parts of its kernels are compiled once for each signature,
/// not once for each program.
template <class... Args>
struct program_calls {
    std::shared_ptr<void const> program;
    void (*run)(void const*, Args const&...);
    bool (*is_for_any_code)(void const*, Args const&...);

    template <class Declaration>
    [[nodiscard]] static program_calls of(Declaration const& program)
    {
        static_assert(std::is_trivially_copyable_v<Declaration>);
        return {copied_bytes({reinterpret_cast<std::byte const*>(&program), sizeof program}),
                [](void const* self, Args const&... args) {
                    (*static_cast<Declaration const*>(self))(args...);
                },
                [](void const* self, Args const&... args) {
                    return static_cast<Declaration const*>(self)->is_for_any_code(args...);
                }};
    }

    /// @tparam Resident  types of the kernel's arguments, which may be those of a device
    template <class... Resident>
    [[nodiscard]] attune::ATTUNE_ABI::kernel<void(Resident...)>
    kernel(program_text const& text, kernel_source source, description const& space,
           std::optional<tolerance> const& within) const
    {
        attune::ATTUNE_ABI::kernel<void(Resident...)> out{text.nest.name, std::move(source), space};
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            (tolerate<At>(out, text, within), ...);
        }(std::index_sequence_for<Args...>{});
        out.reference([self = *this](Args... args) { self.run(self.program.get(), args...); },
                      [text](Args const&... args) {
                          return program_operations(text.nest, inputs_of_call(text, args...)) <=
                                 most_reference_operations;
                      });
        out.work([text](auto const&... args) {
            return program_work(text.nest, inputs_of_call(text, args...));
        });
        return out;
    }
    template <class Kernel>
    void add_precondition(Kernel& to) const
    {
        to.precondition([self = *this](Args const&... args) {
            return self.is_for_any_code(self.program.get(), args...);
        });
    }

private:
    /// Declares the tolerance of an array that the program writes.
    template <std::size_t At, class Kernel>
    static void tolerate(Kernel& out, program_text const& text,
                         std::optional<tolerance> const& within)
    {
        std::size_t const which = text.arguments[At];
        if (which >= text.nest.arrays.size() || text.nest.arrays[which].role == nest_role::read)
            return;
        out.template tolerate<At>(
            within ? *within : program_tolerance(text.nest, static_cast<std::uint32_t>(which)));
    }
};

template <class Declaration, class Signature = typename Declaration::signature>
class nest_program;
template <class Declaration, class... Args>
class nest_program<Declaration, void(Args...)> {
public:
    using signature = void(Args...);

    constexpr explicit nest_program(Declaration const& of)
        : declaration_(of)
    {
    }

    /// Returns the program with its arguments in another order. The arguments are each array except
    /// temporaries, and each input. The default order is read arrays, other arrays, inputs, each in
    /// order of mention.
    ///
    /// Example   attune::nest<"axpy">(y[i] += a * x[i]).with_arguments(a, x, y, n)
    template <class... Each>
    [[nodiscard]] consteval auto with_arguments(Each const&...) const
    {
        using declaration = typename Declaration::template with_order<type_list<Each...>>;
        if constexpr (check_declaration<declaration>())
            return nest_program<declaration>(declaration(declaration_.steps()));
        else
            return *this; // no second error
    }

    /// Runs the plain nest: the loops of the statements, in one thread, without attune.
    /// Errors   attune::error: an array has other extents than declared
    void operator()(Args... args) const { declaration_(args...); }

    /// Returns the program as a kernel for attune::tuned. The space is the schedules of the
    /// program, each with its own text. Results are compared with the plain nest, except for calls
    /// of more than 5e9 operations, on one core, which are compared with the default. The plain
    /// nest also serves if nothing can be compiled. A record serves only a program of the same
    /// statements.
    ///
    /// Inputs that are extents are bound (see program_options::tune_each_size), and the report uses
    /// work(). A call whose arrays have other sizes than declared is an attune::error. If a written
    /// array overlaps another one, the plain nest serves. An array that attune::constant() declares
    /// is an attune::constant_array in a call. Configurations that pack it once are timed in calls
    /// that find the packed form. Trials leave no packed form in the caller's array.
    /// Errors   attune::error: no rule schedules a statement
    [[nodiscard]] attune::ATTUNE_ABI::kernel<signature>
    kernel(program_options const& options = {}) const
    {
        program_text const text = as_text();
        program_kernel made = kernel_of(text, options);
        auto const calls = program_calls<Args...>::of(declaration_);
        auto out = calls.template kernel<Args...>(text, std::move(made.source), made.space,
                                                  options.within);
        calls.add_precondition(out);
        bind_inputs_of(out, made.space, typename Declaration::arguments{});
        out.any_alignment(); // no load of the text needs an alignment
        if (auto const function = plain_function<Declaration>::of(declaration_))
            out.slow_fallback(function);
        return out;
    }

    /// Returns the program as a kernel for a GPU, in one launch, for attune::nvrtc_compiler. A call
    /// copies the host's arrays there and back; see resident_kernel(). The space is that of
    /// attune::device_space. Inputs that are extents are always bound, also without
    /// `tune_each_size`; only the options `within` and `device` have an effect.
    /// Errors   attune::error: the program does not fit into one launch, see device_space
    [[nodiscard]] attune::ATTUNE_ABI::kernel<signature>
    device_kernel(program_options const& options = {}) const
    {
        auto out = device_kernel_as<Args...>(options);
        program_calls<Args...>::of(declaration_).add_precondition(out);
        return out;
    }

    /// Does the same for arrays in the device's memory: calls take an attune::device_span for each
    /// std::span. The arrays must not overlap and must have the declared sizes; nothing checks it.
    [[nodiscard]] auto resident_kernel(program_options const& options = {}) const
    {
        return device_kernel_as<typename resident_argument<Args>::type...>(options);
    }

    [[nodiscard]] nest_description describe() const { return describe_nest(declaration_); }

    [[nodiscard]] std::string text(std::string_view configuration,
                                   program_options const& options) const
    {
        return show_program(as_text(), configuration, options);
    }

    [[nodiscard]] std::string device_text(std::string_view configuration,
                                          program_options const& options) const
    {
        return show_device_program(as_text(), configuration, options.device);
    }

private:
    template <class... Resident>
    [[nodiscard]] attune::ATTUNE_ABI::kernel<void(Resident...)>
    device_kernel_as(program_options const& options) const
    {
        constexpr bool has_constant = (is_constant_view<Args> || ...);
        static_assert(!has_constant,
                      "attune: device_kernel(): a program for a device takes no array that "
                      "attune::constant() declares; declare it by attune::array()");
        program_text const text = as_text();
        device_program_kernel made = device_kernel_of(text, options.device);
        auto out = program_calls<Args...>::of(declaration_)
                       .template kernel<Resident...>(text, std::move(made.source), made.space,
                                                     options.within);
        out.launched(made.launch);
        bind_inputs_of(out, made.space, typename Declaration::arguments{});
        return out;
    }

    [[nodiscard]] program_text as_text() const
    {
        return text_of_program(describe(), variant_of<signature>(std::string(Declaration::name)),
                               Declaration::form({}));
    }

    template <class Kernel, class... T>
    static void bind_inputs_of(Kernel& out, description const& space, type_list<T...>)
    {
        if constexpr (Declaration::outline.input_count > 0)
            [&]<std::size_t... At>(std::index_sequence<At...>) {
                (bind_input<At, T>(out, space), ...);
            }(std::index_sequence_for<T...>{});
    }
    template <std::size_t At, class Argument, class Kernel>
    static void bind_input(Kernel& out, description const& space)
    {
        if constexpr (!is_nest_array<Argument>)
            if constexpr (std::integral<typename Argument::value_type>)
                if (space.find_input(Argument::name) != no_index) out.template bind<At>(Argument{});
    }

    Declaration declaration_;
};

} // namespace detail

/// A program states the value of an array at each value of its axes. A tuning chooses loops, tiles,
/// vectors, copies of arrays and threads, for this machine.
///
/// Indices are made of axes; arrays have extents. An axis has one extent: an array that is longer
/// along it is read by attune::prefix(i, n). A statement writes each element of an array once. If a
/// value has an axis that the array lacks, the statement sums over it (`+=`), or reduces it by
/// attune::sum, product, max, min or argmax. Statements run one after the other, and pass arrays on
/// in an attune::temporary. Wrong names, shapes or order of statements do not compile.
///
/// Example   inline constexpr auto gemm = attune::nest<"gemm">(C[i][j] += A[i][k] * B[k][j]);
///           gemm(a, b, c, m, n);                                     // the plain nest
///           attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, store};
///           fast(a, b, c, m, n);
/// @tparam Name  name of the function, and of the kernel in reports and records
template <fixed_string Name, class... Statements>
[[nodiscard]] consteval auto nest(Statements const&... statements)
{
    auto const made = detail::declare_nest<Name>(statements...);
    if constexpr (std::is_same_v<decltype(made), detail::no_declaration const>)
        return made; // no second error
    else
        return detail::nest_program<std::remove_const_t<decltype(made)>>(made);
}

/// Returns the C++ text of a program in one configuration, with comments: the mathematics, the
/// configuration, and the steps that lead to it. The text includes nothing and compiles alone, as
/// C++17, by Clang or GCC. The text is a function `extern "C"` of the program's name, which takes
/// pointers, then inputs. A `long` follows the pointer of an array with a row stride: the number of
/// elements from row to row.
///
/// @param configuration  "C_ROWS=8 C_COLUMNS=2", as in known_choice::configuration and reports;
///                       parameters that it does not name have their defaults
/// @param options  those of program.kernel()
/// Errors   attune::error: no such parameter or value, or values that exclude each other
/// Example  std::puts(attune::show(gemm, tuned.explain(a, b, c, m, n).configuration).c_str());
template <class Declaration, class Signature>
[[nodiscard]] std::string show(detail::nest_program<Declaration, Signature> const& program,
                               std::string_view configuration = {},
                               program_options const& options = {})
{
    return program.text(configuration, options);
}

/// Returns the CUDA text of a program in one configuration of program.device_kernel(), with
/// comments: the mathematics and the configuration. The text needs no header.
/// @param configuration  "BLOCK_ROWS=64 VECTOR=4"; parameters without a value have their defaults
/// @param options        those of program.device_kernel()
/// Errors   attune::error: errors of program.device_kernel(); no such value
template <class Declaration, class Signature>
[[nodiscard]] std::string show_device(detail::nest_program<Declaration, Signature> const& program,
                                      std::string_view configuration = {},
                                      program_options const& options = {})
{
    return program.device_text(configuration, options);
}

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF
