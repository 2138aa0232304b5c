// attune/tune/kernel.hpp - a function to be tuned, with its name, its source and its space.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/generated.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/kernel/user_functions.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Returns true if kernel.memory(...) takes `E`: a number that is known before compilation.
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
/// A kernel `Result(Args...)`. Arguments are arrays of plain data and plain data by value, of types
/// that attune::kernel_type describes. The kernel only reads arrays of const elements. Arrays in
/// host memory are std::span, attune::matrix_view and attune::volume_view; arrays in device memory
/// are attune::device_span and raw pointers. std::span<T* const> holds pointers to arrays of one
/// common length. extent<i>() gives the length behind pointers. Results are compared like written
/// arrays.
///
/// For a device, grid() and block() declare the launch: whole numbers, or expressions over
/// parameters and inputs. A compiler for this processor ignores the launch, so the same declaration
/// with host spans serves both.
///
/// Example   attune::kernel<void(std::span<float const>, std::span<float>, int)>
///               scale{"scale", attune::source_file("scale.kernel.cpp"), space};
template <class Result, class... Args>
class kernel<Result(Args...)> {
public:
    using signature = Result(Args...);

    /// @param name    of the function in `source`: "sgemm", "linear::sgemm", or a template with its
    ///                arguments, "sgemm<TILE>"; reports and records use this name
    /// @param source  C++ text that uses ATTUNE_TUNABLE(NAME, default) for every parameter, or a
    ///                generated_source(). Flags, compilers, template arguments in `name`, and
    ///                parameters that only the launch reads need no ATTUNE_TUNABLE
    /// @param typed   the pack of attune::space(...)
    template <class Pack>
    [[gnu::visibility("hidden")]] kernel(std::string name, kernel_source source, Pack const& typed)
        : kernel(std::move(name), std::move(source), lower(typed))
    {
    }
    /// @param space  made at run time, for example by space_builder; its inputs have no values
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
        static_assert(
            described,
            "attune: an argument of the kernel is of a structure that no attune::kernel_type<T> "
            "describes; specialise it with the structure's name in the kernel file, and with its "
            "fields where they cannot be seen");
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
    /// Errors   attune::error, also of the next functions: a formula reads a parameter outside the
    ///          space
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

    /// Conditions on the code of a variant; attune runs the variant only if all of them hold. On a
    /// device they may read attune::registers, spill_bytes, stack_bytes, static_shared_bytes and
    /// occupancy. On this processor they may read code_bytes, stack_bytes if Clang compiles, and
    /// spills and vector_instructions of clang_compiler. On both they may read parameters, inputs
    /// and figures of the machine. A variant is refused if one of the quantities is not known.
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

    /// Hints: numbers over the same quantities that may explain run times, like
    /// space(...).features(). The search has their values for compiled code, also for refused code,
    /// and predicts them for other configurations. Compilers for this processor ignore them.
    /// Example  kernel.features(attune::registers, attune::spill_bytes > 0, attune::occupancy)
    template <class... F>
    kernel& features(F const&... numbers)
    {
        (detail::declare_code_feature(space(), description_.code_rules, numbers), ...);
        return *this;
    }

    /// Number of elements behind argument `Position`, a raw pointer, or behind each pointer of an
    /// array of pointers. A number, or an expression over inputs.
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
    /// inputs. The variant is not verified again for other lengths, integers, alignments or
    /// overlaps. For kernels without remainder code, or with a proof by other means.
    kernel& any_shape()
    {
        description_.any_shape = true;
        return *this;
    }

    /// Declares that variants are right at any position of arrays in a cache line. A variant
    /// verified for some addresses is not verified again for others. For kernels without aligned
    /// vector loads. A release verifies nothing, and std::vector has other addresses in each
    /// process: such a kernel needs this declaration in a release.
    kernel& any_alignment()
    {
        description_.any_alignment = true;
        return *this;
    }

    /// Declares that the value of argument `Position`, or the length of the array, does not affect
    /// which variants are correct. For example seeds, time steps and identifiers.
    template <std::size_t Position>
    kernel& ignore()
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.ignore<i>(): the kernel has fewer arguments");
        description_.ignored.resize(sizeof...(Args));
        if constexpr (exists) description_.ignored[Position] = true;
        return *this;
    }

    /// Maps each value of argument `Position`, which is bound to an input, to its bucket
    /// `f(value)`. For sizes that never repeat, such as numbers of tokens or particles. All values
    /// with one f(value) share one tuning, which uses the arguments of their first call. The tuning
    /// searches the configurations that are valid for f(value), and the record has f(value) as the
    /// input. Each call is still checked by its own value: a configuration that breaks a constraint
    /// for it does not serve, and a new shape is verified. Calls of new shapes call `f`, maybe on
    /// several threads at once; an exception of `f` leaves the call. On a device the launch depends
    /// on the inputs: the record has those of the first call, near choice of the bucket's others.
    ///
    /// Errors   attune::error at the construction of `tuned`: the argument is bound to no input
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
                          "take one and return the one of its bucket");
            if constexpr (maps)
                description_.buckets.push_back(
                    detail::make_input_bucket<argument>(Position, std::move(f)));
        }
        return *this;
    }
    /// Does the same for every argument that is a whole number and that is bound to an input so
    /// far.
    template <class F>
    kernel& bucket(F f)
    {
        constexpr bool maps =
            ((!std::is_integral_v<Args> || std::is_invocable_r_v<Args, F const&, Args>) && ...);
        static_assert(
            maps, "attune: kernel.bucket(f): f must take each whole number among the arguments, "
                  "and return the one of its bucket");
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
    /// the arguments, in order. Each is a formula over attune::argument<i>, a whole number, or
    /// attune::any_length. attune proves the winner of a tuning on calls of smaller and larger
    /// lengths. The winner then serves other sizes at once. Without this declaration attune guesses
    /// lengths that are products of the call's numbers. A call of a new shape is checked.
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

    /// `f(draw)` makes the arguments of one call: a std::tuple with a container for each array. For
    /// calls that attune cannot make: with index arrays, permutations, sorted keys or sparse
    /// matrices. attune proves the winner of a tuning on such calls. `f` takes sizes and contents
    /// from its attune::call_draw. attune calls `f` many times, also in forked children. `f` must
    /// use `draw` alone: equal draws must make equal calls. A thread calls `f` for up to 20 s after
    /// the tuned call has returned, also with miss_policy::tune_if_missing. The same holds for the
    /// functions of reference(), check() and precondition(), and for the progress sink. None of
    /// them may refer to the caller's locals.
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

    /// The special contents that arrays of calls may have. A variant that is wrong for them on the
    /// tuned call never wins. The verification of another shape also uses them: a variant that is
    /// wrong for them there does not serve that shape. contents() without arguments tries none.
    /// Without this declaration a difference is only a notice, because such contents may be
    /// invalid. Integers are filled too, also indices. A notice names contents that cannot be
    /// tried. With calls(f), only special contents that `f` draws are tried.
    ///
    /// Errors   attune::error: array_contents::own, which is no special one
    ///
    /// Example  kernel.contents(attune::array_contents::zero,
    ///                          attune::array_contents::not_a_number);
    template <class... Contents>
    kernel& contents(Contents... of)
    {
        constexpr bool fits = (std::is_same_v<Contents, array_contents> && ...);
        static_assert(fits, "attune: kernel.contents(...): give values of attune::array_contents");
        if constexpr (fits) {
            description_.contents = std::vector<array_contents>{of...};
            bool const has_own = ((of == array_contents::own) || ...);
            if (has_own)
                throw error("array_contents::own names no special contents",
                            "kernel.contents(...) of kernel " + description_.name,
                            "leave it out: each call is made with its own contents, too");
        }
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

    /// `f(arguments...)` decides whether a result is right, in place of a comparison with the
    /// default variant's result. `f` returns a bool, or a std::string that is empty for a right
    /// result and otherwise gives the reason. For kernels with several right results. `f` is called
    /// after a run with copies of the call's arguments in host memory, and with the kernel's return
    /// value if there is one. The default is checked too. An exception means a wrong result. For
    /// the thread of `f`, see calls().
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

    /// `f(arguments...)` returns the error of a result, a double. The search looks for the fastest
    /// variant whose error is at most `most`. Otherwise like check(), but the search learns from
    /// the errors which variants keep the bound. Records with another bound belong to another
    /// problem. The default must keep the bound.
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

    /// Looks for the fastest variant that takes at most `most` joules per call. The joules are of
    /// all processor packages of this machine and their memory: see joules_per_call(). A variant
    /// runs a third of a second more, until its joules are known to 3 % or the time for one timing
    /// is spent. Nothing is compiled at the same time. A variant beyond the bound fails
    /// (failure_stage::bound); so does a variant whose joules are known to 50 % or worse. The
    /// search learns from joules on both sides of the bound. The bound holds for the tuned call:
    /// other shapes take other joules. A remembered winner does not serve if its bound was larger
    /// or if it had none. The report has the joules of the default, which is measured in each
    /// tuning and must keep the bound. The report also has those of the serving variant, if an
    /// event log or this tuning measured them. The tuning ends if a counter can no longer be read.
    ///
    /// Nothing is tuned if no counters can be read (tuning_measuring::powercap), or if code runs on
    /// a device or on other ranks. The report then says why, and the store's result serves.
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

    /// The search looks for the best value of `f(run, arguments...)` in place of the shortest time.
    /// `run` is a measured_call with the seconds, or a metered_call with seconds and joules. The
    /// arguments are those of check(): arrays as std::span with the contents after one run, then
    /// the kernel's return value, if any. `f` returns a double above 0, such as flops per second,
    /// steps to a solution, or joules times seconds. A variant fails if `f` throws or returns
    /// another number. `f` is called for each round of a comparison.
    ///
    /// Report, progress, store and pages have these values, with `unit` (may be empty). Members
    /// such as record::best_s then have them, too, and limits.target is such a value. Results of
    /// another unit or direction belong to another problem. Name another unit after a change of
    /// `f`. A variant serves also where it is slower than the default. Rooflines, search.prune,
    /// search.samples and search.techniques are of times and have no effect. miss_policy::online
    /// tunes like tune_in_background.
    ///
    /// Only for this processor, in one process: a tuning on a device or on ranks, tune_together and
    /// predict() are an attune::error, or the report's reason. The program includes
    /// <attune/tune/objective.hpp> and links attune::objectives. An `f` that takes a metered_call
    /// needs attune::energy, as bound_energy() does. The energy of a variant takes a third of a
    /// second or more, and nothing is compiled at the same time.
    ///
    /// Example   kernel.objective("GFLOP/s", attune::goal::highest,
    ///               [](attune::measured_call run, auto const& a, auto const&...) {
    ///                   return 2e-9 * a.size() / run.seconds;
    ///               });
    template <class F>
    kernel& objective(std::string unit, goal direction, F f)
    {
        using detail::objective_of_call;
        constexpr bool on_host = !(detail::is_device_array<Args> || ...);
        static_assert(on_host,
                      "attune: kernel.objective(unit, goal, f): the kernel takes arrays of a "
                      "device, and an objective is measured on this processor only");
        constexpr bool takes_time =
            detail::error_measure<objective_of_call<F, measured_call>, Result, Args...>;
        constexpr bool takes_joules =
            detail::error_measure<objective_of_call<F, metered_call>, Result, Args...>;
        static_assert(!on_host || takes_time || takes_joules,
                      "attune: kernel.objective(unit, goal, f): f must take an "
                      "attune::measured_call or attune::metered_call, then the kernel's "
                      "arguments, arrays as std::span, then what it returns, if anything, and "
                      "return a double");
        problem_objective of{.is_seconds = false,
                             .unit = std::move(unit),
                             .is_higher_better = direction == goal::highest};
        if constexpr (on_host && takes_time)
            description_.objective =
                detail::make_objective<measured_call, host_call>(std::move(of), std::move(f));
        else if constexpr (on_host && takes_joules)
            description_.objective =
                detail::make_objective<metered_call, host_call>(std::move(of), std::move(f));
        return *this;
    }

    /// `f(arguments...)` writes or returns the reference result: slow, simple, trusted code. Every
    /// variant, also the default, is compared with it. If `f` throws, nothing can be tuned. For the
    /// thread of `f`, see calls().
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

    /// `f` is the reference only of calls for which `serves(arguments...)` returns true. For other
    /// calls `f` would take too long: their results are compared with the default's, and a notice
    /// says so. `serves` gets the arguments of `f`, but may read sizes and numbers only: a device's
    /// elements are not on the host.
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

    /// `f(arguments...)` serves calls if no variant can be compiled, for example without a
    /// compiler. `f` is a function of the kernel's own type, or a lambda without captures. A kernel
    /// file that CMake's attune_add_kernel(target file) compiles into the program needs none.
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

    /// Does the same for code that is far slower than the default. If there is a compiler, the
    /// compiled default serves.
    template <class F>
    kernel& slow_fallback(F f)
    {
        description_.fallback_is_slow = true;
        return fallback(f);
    }

    /// `f(arguments...)` returns true if variants may serve a call. `f` returns false if only the
    /// function of kernel.fallback(f) is right, for example for arrays that overlap. Exceptions of
    /// `f` leave the call. A call of a new shape calls `f` before anything runs; overlaps are part
    /// of a shape. On a device each call calls `f`, and false is an attune::error, because the
    /// fallback cannot run on a device. If arrays are in device memory, `f` is not called. For the
    /// thread of `f`, see calls().
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

    /// `f(arguments...)` is the user's own code for the same task: a function or a lambda. Without
    /// reference() and check(), `f` is the reference: variants are compared with its results, and
    /// with the default's where these differ. Where `f` and the default differ, the report begins
    /// with the first difference and calls neither wrong. If the tuned call differs, `f` is not
    /// timed. The winner's proof also compares the default with `f`, on calls of other sizes. The
    /// time of `f` is measured in turns with the winner and the default, and the report gives the
    /// winner's speedup over `f`. The baseline is never installed. Only for this processor: on a
    /// device, a notice says that `f` is not timed. For the thread of `f`, see calls().
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
    /// fraction of the machine's limit that the kernel reaches. The program must include
    /// <attune/tune/roofline.hpp> and link attune::roofline. Flops count as double precision if an
    /// argument is a std::span of double. An expression may read parameters, but its value for a
    /// configuration is only reported: it prunes nothing, unlike work(f).
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

    /// States the work as a function of the call's arguments, for work that depends on data, such
    /// as the entries of a sparse matrix. The tuning calls `f` once before it begins and once at
    /// its end. If the first parameter of `f` is an attune::configuration_view, which gives the
    /// values of parameters, `f` is also called for each configuration. Then `f` may also state
    /// threads, width of vectors and loads. If tuning_search::prune is true, configurations that
    /// cannot win by these numbers are not tried. `f` must then depend on its parameters alone:
    /// configurations that agree in the values that `f` reads share one call.
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

    /// The bytes that one call needs beside its arguments: scratch arrays, packed copies, one
    /// buffer per thread. An expression over parameters, inputs and figures of the machine. A
    /// configuration that needs more than this machine has (attune::machine::memory_bytes) is
    /// outside the space; so sizes, samples and explanations count exactly. A configuration that
    /// needs more than three quarters of the memory that is free at its turn is neither compiled
    /// nor run. The failure has a sentence in the report: the reason is another program, not the
    /// space. Compilers for a device ignore it. For a bound of your own, such as a cache, write
    /// space(...).where(...).
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
