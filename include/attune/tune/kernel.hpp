// attune/tune/kernel.hpp - a function to be tuned: its name, its source, its space.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/ahead/ahead_list.hpp>
#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/generated.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/shape/length_formula.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/input_bucket.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/kernel/stated_work.hpp>
#include <attune/tune/kernel/user_functions.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Whether kernel.memory(...) takes `E`: a number known before compilation.
template <class E>
[[nodiscard]] constexpr bool is_memory_formula()
{
    if constexpr (symbolic<E>)
        return is_number_formula<E>() && !reads_code<decltype(lift(std::declval<E const&>()))>;
    else
        return is_number_formula<E>();
}

} // namespace detail

template <class Signature>
class kernel;
/// A kernel `Result(Args...)`. Arguments are arrays of plain data (const: only read) and plain data
/// by value, of types that attune::kernel_type describes. Arrays are std::span, attune::matrix_view
/// and attune::volume_view of host memory, attune::device_span and raw pointers of device memory,
/// and std::span<T* const>, pointers to arrays of one common length. extent<i>() gives the length
/// behind pointers. A result is compared like a written array.
///
/// For a device, grid() and block() declare the launch: whole numbers, or expressions over
/// parameters and inputs. A compiler for this processor ignores the launch, so one declaration with
/// host spans serves both.
///
/// Example   attune::kernel<void(std::span<float const>, std::span<float>, int)>
///               scale{"scale", attune::source_file("scale.kernel.cpp"), space};
template <class Result, class... Args>
class kernel<Result(Args...)> {
public:
    using signature = Result(Args...);

    /// @param name    of the function in `source`: "sgemm", "linear::sgemm", or a template with its
    ///                arguments, "sgemm<TILE>"; also names it in reports and records
    /// @param source  C++ text that uses ATTUNE_TUNABLE(NAME, default) for every parameter, except
    ///                flags, compilers, template arguments in `name`, and those that only the
    ///                launch reads; or a generated_source()
    /// @param typed   the pack of attune::space(...)
    template <class Pack>
    [[gnu::visibility("hidden")]] kernel(std::string name, kernel_source source, Pack const& typed)
        : kernel(std::move(name), std::move(source), lower(typed))
    {
    }
    /// @param space  made at run time, as by space_builder; its inputs without values
    [[gnu::visibility("hidden")]] kernel(std::string name, kernel_source source, description space)
        : description_{.name = name, .source = std::move(source), .space = std::move(space)}
    {
        constexpr bool returnable = detail::is_kernel_result<Result>();
        static_assert(returnable,
                      "attune: a kernel returns void or plain data by value: a number, or what "
                      "attune::kernel_type<T> describes; let it write arrays to a std::span");
        using detail::argument_fault;
        constexpr argument_fault fault = detail::fault_of_arguments<Args...>();
        constexpr bool restorable = fault != argument_fault::form;
        static_assert(restorable,
                      "attune: the arguments of a kernel are std::span, attune::matrix_view, "
                      "attune::volume_view and attune::device_span over plain data, pointers to "
                      "it, and plain "
                      "data by value: only these can be restored after a trial run");
        constexpr bool described = fault != argument_fault::unknown;
        static_assert(described,
                      "attune: an argument of the kernel is of a structure that attune does not "
                      "know; specialise attune::kernel_type<T> with the name that the kernel file "
                      "gives it, and with its fields where they cannot be seen");
        constexpr bool reachable = fault != argument_fault::has_pointers;
        static_assert(
            reachable,
            "attune: an argument of the kernel has pointers inside, and what they point "
            "to would be neither restored nor compared; pass those arrays as arguments of "
            "their own, or as std::span<T* const> with kernel.extent<i>(elements)");
        constexpr bool settled = fault != argument_fault::moving_pointers;
        static_assert(settled,
                      "attune: an argument of the kernel is an array of pointers that the kernel "
                      "may change; declare it as std::span<T* const>, with "
                      "kernel.extent<i>(elements)");
        if constexpr (returnable && fault == argument_fault::none) {
            description_.signature = variant_of<signature>(std::move(name));
            description_.type = detail::function_type_of<signature>();
            description_.linked = detail::linked_with_caller(); // both constructors are hidden
            description_.extents = detail::pointers_among<detail::needs_extent<Args>...>();
        }
    }

    /// The input takes its value from argument `Position` (0-based) of every call.
    template <std::size_t Position, fixed_string Name, class T>
    kernel& bind(input_parameter<Name, T> const&)
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.bind<i>(input): the kernel has fewer arguments");
        if constexpr (exists) {
            using argument = std::tuple_element_t<Position, std::tuple<Args...>>;
            constexpr bool is_number = std::is_arithmetic_v<argument>;
            static_assert(is_number, "attune: kernel.bind<i>(input): argument i is not a number");
            description_.inputs.push_back({std::string(Name.view()), Position});
        }
        return *this;
    }

    /// Blocks of the launch in x, y, z; omitted ones are 1.
    ///
    /// Errors   attune::error, here and below: a formula reads a parameter outside the space
    /// Example  kernel.bind<3>(n).grid(ceil_div(n, block_x * vec)).block(block_x)
    template <class... E>
    kernel& grid(E const&... blocks)
    {
        detail::declare_extents(space(), launch().grid, "kernel.grid(...)", blocks...);
        return *this;
    }
    /// Threads of a block in x, y, z.
    template <class... E>
    kernel& block(E const&... threads)
    {
        detail::declare_extents(space(), launch().block, "kernel.block(...)", threads...);
        return *this;
    }
    /// Blocks of a cluster in x, y, z, on devices that have clusters.
    template <class... E>
    kernel& cluster(E const&... blocks)
    {
        detail::declare_extents(space(), launch().cluster, "kernel.cluster(...)", blocks...);
        return *this;
    }
    /// Dynamic shared memory of a block.
    template <class E>
    kernel& shared_bytes(E const& bytes)
    {
        detail::declare_shared_bytes(space(), launch().shared_bytes, bytes);
        return *this;
    }
    /// The whole launch, as nodes of the space that the kernel was made with.
    kernel& launched(launch_declaration of)
    {
        launch() = of;
        return *this;
    }
    /// Launches all blocks at once, so that they may synchronise with each other.
    kernel& cooperative()
    {
        launch().is_cooperative = true;
        return *this;
    }

    /// Conditions on the code of a variant; the variant is run only if all of them hold. On a
    /// device they may read attune::registers, spill_bytes, stack_bytes, static_shared_bytes and
    /// occupancy; on this processor code_bytes, stack_bytes where Clang compiles, and spills and
    /// vector_instructions of clang_compiler; and parameters, inputs and figures of the machine. A
    /// variant of which a quantity is not known is refused.
    /// Errors   attune::error at the construction of `tuned`: the compiler does not give a quantity
    /// Example  kernel.require(attune::spill_bytes == 0, attune::occupancy >= 0.25)
    /// Example  kernel.require(attune::stack_bytes <= attune::machine::l1_bytes / 2)
    /// Example  kernel.require(attune::spills == 0, attune::vector_instructions > 0)
    template <class... C>
    kernel& require(C const&... conditions)
    {
        (detail::declare_code_rule(space(), description_.code_rules, conditions), ...);
        return *this;
    }

    /// Numbers over the same quantities that may explain run times: hints, as
    /// space(...).features(). The search has their values for compiled code, refused code included,
    /// and predicts the others. Compilers for this processor ignore them.
    /// Example  kernel.features(attune::registers, attune::spill_bytes > 0, attune::occupancy)
    template <class... F>
    kernel& features(F const&... numbers)
    {
        (detail::declare_code_feature(space(), description_.code_rules, numbers), ...);
        return *this;
    }

    /// Number of elements behind argument `Position`, a raw pointer, or behind each pointer of an
    /// array of pointers: a number, or an expression over inputs.
    template <std::size_t Position, class E>
    kernel& extent(E const& elements)
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.extent<i>(n): the kernel has fewer arguments");
        if constexpr (exists) {
            using argument = std::tuple_element_t<Position, std::tuple<Args...>>;
            constexpr bool is_raw = detail::needs_extent<argument>;
            static_assert(
                is_raw, "attune: kernel.extent<i>(n): argument i is no raw pointer, nor a span of "
                        "pointers; spans know their size");
            if constexpr (is_raw)
                for (detail::argument_extent& e : description_.extents)
                    if (e.position == Position) detail::declare_extent(space(), e, elements);
        }
        return *this;
    }

    /// Declares that a variant verified for one call is valid for all calls with the same bound
    /// inputs: it is not verified again for other lengths, integers, alignments or overlaps. For
    /// kernels without remainder code, and for kernels that were proven by other means.
    kernel& any_shape()
    {
        description_.any_shape = true;
        return *this;
    }

    /// Declares that variants are right wherever arrays lie in a cache line: one verified for some
    /// addresses is not verified again for others. For kernels without aligned vector loads. In a
    /// release, where nothing is verified, std::vector gives other addresses in each process.
    kernel& any_alignment()
    {
        description_.any_alignment = true;
        return *this;
    }

    /// Declares that the value of argument `Position`, or the length of the array, does not affect
    /// which variants are correct. For seeds, time steps, identifiers.
    template <std::size_t Position>
    kernel& ignore()
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.ignore<i>(): the kernel has fewer arguments");
        description_.ignored.resize(sizeof...(Args));
        if constexpr (exists) description_.ignored[Position] = true;
        return *this;
    }

    /// `f(value)` stands for each value of argument `Position`, which is bound to an input: for
    /// sizes that never repeat, such as numbers of tokens or particles. All values with one
    /// f(value) share one tuning, on the arguments of the first call of theirs, over the
    /// configurations that are valid for f(value); the record has f(value) as the input. What
    /// serves is decided for each call by its own value: a configuration that breaks a constraint
    /// for it does not serve it, and a shape is verified as any other. `f` is called where a call
    /// meets a new shape, not by known shapes, maybe by several threads at once; what it throws
    /// leaves the call.
    ///
    /// Errors   attune::error at the construction of `tuned`: the argument is bound to no input, or
    ///          the kernel runs on a device
    /// Example  kernel.bind<2>(n).bucket<2>([](int tokens) { return (tokens + 63) / 64 * 64; });
    template <std::size_t Position, class F>
    kernel& bucket(F f)
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.bucket<i>(f): the kernel has fewer arguments");
        if constexpr (exists) {
            using argument = std::tuple_element_t<Position, std::tuple<Args...>>;
            constexpr bool maps = [] {
                if constexpr (std::is_arithmetic_v<argument>)
                    return std::is_invocable_r_v<argument, F const&, argument>;
                else
                    return false;
            }();
            static_assert(maps,
                          "attune: kernel.bucket<i>(f): argument i must be a number, and f must "
                          "take one and return the one that stands for it");
            if constexpr (maps)
                description_.buckets.push_back(
                    detail::make_input_bucket<argument>(Position, std::move(f)));
        }
        return *this;
    }
    /// The same for every argument that is a whole number and is bound to an input so far.
    template <class F>
    kernel& bucket(F f)
    {
        constexpr bool maps =
            ((!std::is_integral_v<Args> || std::is_invocable_r_v<Args, F const&, Args>) && ...);
        static_assert(
            maps, "attune: kernel.bucket(f): f must take each whole number among the arguments, "
                  "and return the one that stands for it");
        if constexpr (maps) {
            std::size_t position = 0;
            auto const add = [&]<class T>(std::type_identity<T>) {
                if constexpr (std::is_integral_v<T>)
                    for (detail::input_argument const& input : description_.inputs)
                        if (input.position == position)
                            description_.buckets.push_back(
                                detail::make_input_bucket<T>(position, f));
                ++position;
            };
            (add(std::type_identity<Args>{}), ...);
        }
        return *this;
    }

    /// The lengths that the arrays of a call need, one for each std::span and constant_view among
    /// the arguments, in order: formulas over attune::argument<i>, whole numbers, or
    /// attune::any_length. The winner of a tuning proves itself on calls of such lengths, smaller
    /// and larger ones, so that it serves other sizes at once; without this, attune guesses
    /// lengths that are products of the call's numbers. Calls are checked when they meet a new
    /// shape.
    ///
    /// Errors   attune::error at a call, naming the argument: its array is shorter
    /// Example  constexpr auto m = attune::argument<3>;
    ///          constexpr auto n = attune::argument<4>;
    ///          constexpr auto k = attune::argument<5>;
    ///          kernel.lengths(m * k, k * n, m * n);
    template <class... E>
    kernel& lengths(E const&... elements)
    {
        constexpr std::size_t arrays =
            (std::size_t{0} + ... +
             std::size_t{detail::is_span<Args> || detail::is_constant_view<Args>});
        constexpr bool fits = sizeof...(E) == arrays;
        static_assert(fits, "attune: kernel.lengths(...): give one length for each std::span and "
                            "attune::constant_view among the kernel's arguments, in order; "
                            "attune::any_length says nothing of one");
        if constexpr (fits) {
            std::vector<std::function<std::int64_t(std::span<std::int64_t const>)>> in_order;
            auto const add = [&]<class T>(T const& one) {
                constexpr bool is_open = std::is_same_v<T, any_length_t>;
                constexpr bool is_length = is_open || detail::length_part<T>;
                static_assert(is_length,
                              "attune: kernel.lengths(...): a length is a whole number, or a "
                              "formula of attune::argument<i>, + - * /");
                constexpr bool has_numbers = detail::reads_numbers<T, Args...>;
                static_assert(has_numbers,
                              "attune: kernel.lengths(...): attune::argument<i> is no whole number "
                              "among the kernel's arguments");
                in_order.emplace_back();
                if constexpr (is_length && has_numbers && !is_open)
                    in_order.back() = detail::as_length(one);
            };
            (add(elements), ...);
            description_.lengths.of.clear();
            std::size_t next = 0;
            auto const place = [&](bool is_array) {
                description_.lengths.of.emplace_back();
                if (is_array) description_.lengths.of.back() = in_order[next++];
            };
            (place(detail::is_span<Args> || detail::is_constant_view<Args>), ...);
            description_.lengths.numbers = [](void const* of) {
                return std::apply(
                    [](auto const&... args) { return detail::numbers_among(args...); },
                    static_cast<host_call const*>(of)->arguments);
            };
        }
        return *this;
    }

    /// `f(draw)` makes the arguments of one call, a std::tuple with a container for each array: for
    /// calls that attune cannot make, with index arrays, permutations, sorted keys, sparse
    /// matrices. The winner of a tuning proves itself on such calls: see attune::call_draw, which
    /// `f` asks for sizes and contents. `f` is called many times, also in forked children, and must
    /// use nothing but `draw`: equal draws must make equal calls.
    ///
    /// Example  kernel.calls([](attune::call_draw& draw) {
    ///              csr m = random_matrix(draw.size(1, 5000), draw); // yours
    ///              std::vector<float> y(m.rows);
    ///              return std::tuple{m.start, m.column, m.value, draw.reals(m.columns), y};
    ///          });
    template <class F>
    kernel& calls(F f)
    {
        constexpr bool on_host = !(detail::is_device_array<Args> || ...);
        constexpr bool fits = on_host && detail::makes_arguments<F, Args...>();
        static_assert(fits,
                      "attune: kernel.calls(f): f must take attune::call_draw& and return a "
                      "std::tuple with what makes each argument: a container of the elements for "
                      "a std::span, else a value");
        if constexpr (fits)
            description_.calls = detail::make_call_maker<Result, Args...>(std::move(f));
        return *this;
    }

    /// Allowed difference of elements of argument `Position`; attune::any_value: a scratch array.
    template <std::size_t Position>
    kernel& tolerate(tolerance allowed)
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.tolerate<i>(...): the kernel has fewer arguments");
        description_.tolerances.resize(sizeof...(Args) + (std::is_void_v<Result> ? 0 : 1));
        if constexpr (exists) description_.tolerances[Position] = allowed;
        return *this;
    }
    /// Allowed difference of the kernel's return value.
    kernel& tolerate_result(tolerance allowed)
    {
        constexpr bool returns = !std::is_void_v<Result>;
        static_assert(returns, "attune: kernel.tolerate_result(...): the kernel returns nothing");
        description_.tolerances.resize(sizeof...(Args) + 1);
        description_.tolerances[sizeof...(Args)] = allowed;
        return *this;
    }

    /// `f(arguments...)` decides whether a result is right, instead of a comparison with the
    /// default variant's result. It returns true, or a std::string that is empty for a right result
    /// and else gives the reason. For kernels with several right results. `f` is called after a run
    /// with copies of the call's arguments in host memory, plus the kernel's return value if there
    /// is one. The default variant is checked too. An exception means that the result is wrong.
    template <class Check>
    kernel& check(Check f)
    {
        constexpr bool fits = detail::result_check<Check, Result, Args...>;
        static_assert(fits,
                      "attune: kernel.check(f): f must take the kernel's arguments, arrays as "
                      "std::span, then what it returns, if anything, and return a bool (right?) or "
                      "a std::string (what is wrong; empty: nothing)");
        description_.error = {};
        if constexpr (fits) description_.check = detail::make_check<host_call>(std::move(f));
        return *this;
    }

    /// `f(arguments...)` gives the error of a result, a double, and the fastest variant with an
    /// error of at most `most` is looked for. As check(), but the search learns from errors on both
    /// sides of the bound which variants will keep it, instead of from right and wrong alone.
    /// Records of other bounds are those of another problem. The default must keep the bound.
    ///
    /// Errors    attune::error: `most` is not finite
    /// Example   kernel.check_error(1e-3, [](std::span<float const> x, std::span<float const> y) {
    ///               return largest_difference(y, exact(x));
    ///           });
    template <class Error>
    kernel& check_error(double most, Error f)
    {
        constexpr bool fits = detail::error_measure<Error, Result, Args...>;
        static_assert(fits,
                      "attune: kernel.check_error(most, f): f must take the kernel's arguments, "
                      "arrays as std::span, then what it returns, if anything, and return the "
                      "error, a double");
        if (!(most <= std::numeric_limits<double>::max()) ||
            !(most >= std::numeric_limits<double>::lowest()))
            throw error("the bound of kernel.check_error() is not a finite number",
                        "kernel " + description_.signature.function, "give a number");
        if constexpr (fits) {
            description_.most_error = most;
            description_.error = [f](void const* of) -> double {
                return detail::call_on_result<host_call>(f, of);
            };
            description_.check = detail::make_error_check(description_.error, most);
        }
        return *this;
    }

    /// The fastest variant is looked for that takes at most so many joules per call of this
    /// machine's processors, all packages, and of their memory: see joules_per_call(), which also
    /// says what counts in. A variant runs for a third of a second more, until its joules are known
    /// to 3 % or the time for one timing is spent; nothing is compiled beside. Variants beyond the
    /// bound fail (failure_stage::bound), and so do those whose joules are known to 50 % or worse;
    /// the search learns from joules on both sides of the bound. The bound holds for the call that
    /// is tuned: other shapes take other joules. A remembered winner that was held to no bound, or
    /// to a larger one, does not serve. The report has the joules of the default, which is measured
    /// in each tuning and must keep the bound, and of what serves, where an event log or this
    /// tuning measured it. Where a counter cannot be read any more, the tuning ends.
    ///
    /// Where no counters can be read (tuning_measuring::powercap), or code runs on a device or on
    /// other ranks, nothing is tuned, and the report says why; what the store remembers serves.
    ///
    /// A program that bounds energy includes <attune/measure/energy.hpp> and links attune::energy.
    ///
    /// Errors    attune::error: `most` is not a finite number above 0
    /// Example   kernel.bound_energy(0.25)
    kernel& bound_energy(double most)
    {
        if (!(most > 0) || most > std::numeric_limits<double>::max())
            throw error("the bound of kernel.bound_energy() is not a finite number above 0",
                        "kernel " + description_.signature.function, "give joules per call");
        description_.most_joules = most;
        return *this;
    }

    /// `f(arguments...)` writes or returns the reference result, which every variant, the default
    /// included, is compared with: slow, simple, trusted code. If `f` throws, nothing can be tuned.
    template <class Reference>
    kernel& reference(Reference f)
    {
        constexpr bool fits =
            std::is_invocable_r_v<Result, Reference const&, detail::host_argument<Args>...>;
        static_assert(fits,
                      "attune: kernel.reference(f): f must take the kernel's arguments, arrays as "
                      "std::span, and return what the kernel returns");
        if constexpr (fits) description_.reference = detail::make_result<host_call>(f);
        return *this;
    }

    /// The same for calls of which `serves(arguments...)` is true; of others, for which `f` would
    /// take too long, results are compared with those of the default, and a notice says so.
    /// `serves` gets what `f` gets, but looks at sizes and numbers alone: elements of a device's
    /// array are not the host's.
    ///
    /// Example  kernel.reference(plain_product, [](auto... of) { return flops_of(of...) < 1e9; })
    template <class Reference, class Serves>
    kernel& reference(Reference f, Serves serves)
    {
        constexpr bool fits =
            std::is_invocable_r_v<bool, Serves const&, detail::host_argument<Args>...>;
        static_assert(fits, "attune: kernel.reference(f, serves): serves must take the kernel's "
                            "arguments, arrays as std::span, and return whether f serves the call");
        if constexpr (fits)
            description_.reference_serves = [serves](void const* of) -> bool {
                return std::apply(serves, static_cast<host_call const*>(of)->arguments);
            };
        return reference(std::move(f));
    }

    /// `f(arguments...)` serves calls where no variant can be compiled, for example without a
    /// compiler: a function of the kernel's own type, or a lambda without captures. Not needed for
    /// a kernel file that CMake's attune_add_kernel(target file) compiles into the program.
    ///
    /// Example   kernel.fallback([](std::span<float const> x, std::span<float> y, int n) { ... });
    template <class F>
    kernel& fallback(F f)
    {
        constexpr bool fits = std::is_convertible_v<F, Result (*)(Args...)>;
        static_assert(fits, "attune: kernel.fallback(f): f must be a function, or a lambda without "
                            "captures, of the kernel's own type: the same arguments and result");
        if constexpr (fits) {
            Result (*const function)(Args...) = f;
            description_.fallback = reinterpret_cast<void*>(function);
        }
        return *this;
    }

    /// The same for code that is far slower than the default: where there is a compiler, calls of
    /// the default compile it.
    template <class F>
    kernel& slow_fallback(F f)
    {
        description_.fallback_is_slow = true;
        return fallback(f);
    }

    /// `f(arguments...)` says whether variants may serve a call: true, or false where only the
    /// function of kernel.fallback(f) is right, as for arrays that overlap; what it throws leaves
    /// the call. It is called where a call meets a new shape, before anything runs; overlaps are
    /// part of a shape. On a device it is called in each call, and false is an attune::error: that
    /// function is none for a device. Where arrays are the device's own, it is not called.
    template <class F>
    kernel& precondition(F f)
    {
        constexpr bool fits = std::is_invocable_r_v<bool, F const&, Args const&...>;
        static_assert(
            fits, "attune: kernel.precondition(f): f must take the kernel's arguments and return "
                  "whether variants may serve the call");
        if constexpr (fits && (std::is_same_v<Args, detail::host_argument<Args>> && ...))
            description_.precondition = [f](void const* of) -> bool {
                return std::apply(f, static_cast<host_call const*>(of)->arguments);
            };
        return *this;
    }

    /// `f(arguments...)` is the user's own code for the same task: a function or a lambda. Its
    /// result is compared with the default's, its time is measured in turns with the winner and the
    /// default, and the report gives the winner's speedup over it. It is never installed and does
    /// not change the decision. If its result is wrong, a notice says so and it is not timed. Only
    /// for kernels of this processor: on a device, a notice says that it is not timed.
    ///
    /// Example  kernel.baseline(my_sgemm)   // void my_sgemm(std::span<float const>, ...)
    template <class Baseline>
    kernel& baseline(Baseline f)
    {
        constexpr bool on_host = !(detail::is_device_array<Args> || ...);
        static_assert(on_host,
                      "attune: kernel.baseline(f): the kernel takes arrays of a device, and your "
                      "own code is timed on this processor only; leave it out");
        constexpr bool fits =
            std::is_invocable_r_v<Result, Baseline const&, detail::host_argument<Args>...>;
        static_assert(!on_host || fits,
                      "attune: kernel.baseline(f): f must take the kernel's arguments, arrays as "
                      "std::span, and return what the kernel returns");
        if constexpr (on_host && fits) description_.baseline = detail::make_result<host_call>(f);
        return *this;
    }

    /// The work of one call as two expressions over inputs and parameters: additions and
    /// multiplications, and bytes that must cross the memory bus. The report then gives the
    /// fraction of the machine's limit that the kernel reaches, in a program that includes
    /// <attune/tune/roofline.hpp> and links attune::roofline. Flops count as double precision if
    /// an argument is a std::span of double. An expression may read parameters, but what it says of
    /// a configuration is for the report alone and prunes nothing, unlike work(f).
    ///
    /// Errors   attune::error: an expression reads a parameter that is not in the space
    /// Example  kernel.bind<3>(n).work(2.0 * n * n * n, 12.0 * n * n);
    template <class Flops, class Bytes>
    kernel& work(Flops const& flops, Bytes const& bytes)
    {
        description_.work = detail::work_by_formulas<Args...>(description_.space, flops, bytes);
        description_.work_varies = false;
        return *this;
    }

    /// The same as a function of the call's arguments, for work that depends on data, such as the
    /// entries of a sparse matrix. It is called once before the tuning and once at its end.
    /// If its first parameter is an attune::configuration_view, which gives the values of
    /// parameters, it is called for each configuration, too, and may say more of it: threads,
    /// width of vectors, loads. Where tuning_search::prune is true, what cannot win by these
    /// numbers is not tried. It must then depend on nothing but its parameters: it is called once
    /// for all configurations that agree in what it reads of the view.
    ///
    /// Example  kernel.work([](auto const& start, auto const& column, auto const& value, auto...) {
    ///              return attune::work{.flops = 2.0 * value.size(), .bytes = 8.0 * value.size()};
    ///          });
    ///          kernel.work([](attune::configuration_view const& at, auto const& x, auto...) {
    ///              return attune::work{.flops = 2.0 * x.size(), .threads = at[threads]};
    ///          });
    template <class F>
    kernel& work(F f)
    {
        description_.work_varies = detail::is_work_of_configuration<F, Args...>;
        description_.work = detail::work_by_function<Args...>(std::move(f));
        return *this;
    }

    /// The bytes that one call needs beside its arguments, as an expression over parameters, inputs
    /// and figures of the machine: scratch arrays, packed copies, one buffer per thread. What needs
    /// more than this machine has (attune::machine::memory_bytes) is no configuration of the space;
    /// so sizes, samples and explanations count exactly. What needs more than three quarters of the
    /// memory that is free when its turn comes is neither compiled nor run, and fails with a
    /// sentence in the report: another program, not the space, is the reason. Compilers for a
    /// device ignore it. For a bound of your own, such as a cache, write space(...).where(...).
    ///
    /// Errors   attune::error: the expression reads a parameter that is not in the space
    /// Example  kernel.memory(4 * tile_m * tile_k * threads)
    template <class E>
    kernel& memory(E const& bytes)
    {
        constexpr bool is_number = detail::is_memory_formula<E>();
        static_assert(is_number,
                      "attune: kernel.memory(bytes): bytes are a number or an expression over "
                      "inputs and parameters that yields one");
        if constexpr (is_number)
            description_.memory = detail::lower_formula(space(), bytes, "kernel.memory(...)");
        return *this;
    }

    [[nodiscard]] kernel_description const& describe() const noexcept { return description_; }

private:
    using host_call = detail::host_call<Result, Args...>;

    [[nodiscard]] description& space() noexcept { return description_.space; }
    [[nodiscard]] launch_declaration& launch()
    {
        if (!description_.launch) description_.launch.emplace();
        return *description_.launch;
    }

    kernel_description description_;
};

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF
