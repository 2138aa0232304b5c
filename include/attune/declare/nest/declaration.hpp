// attune/declare/nest/declaration.hpp - a whole program: its statements, their plain loops, and the loops as a function.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/constant_array.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/evaluate.hpp>
#include <attune/declare/nest/nest_call.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/outline.hpp>
#include <attune/declare/nest/value.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

template <class List>
struct values_of_inputs;
template <class... Input>
struct values_of_inputs<type_list<Input...>> {
    using type = value_pack<typename Input::value_type...>;
};

/// The type of an argument.
template <class T, nest_role Role>
struct argument_for {
    using type = typename T::value_type; // of an input
};
template <fixed_string Name, class T, class... Extents, nest_role Role>
struct argument_for<array_of<Name, T, array_use::constant, false, Extents...>, Role> {
    using type = constant_view<T>;
};
template <fixed_string Name, class T, bool HasRowStride, class... Extents, nest_role Role>
struct argument_for<array_of<Name, T, array_use::argument, HasRowStride, Extents...>, Role> {
    using element = std::conditional_t<Role == nest_role::read, T const, T>;
    using type = std::conditional_t<HasRowStride, matrix_view<element>, std::span<element>>;
};

template <class List>
struct signature_of_list;
template <class... T>
struct signature_of_list<type_list<T...>> {
    using type = void(T...);
};

/// @tparam Order  type_list of arrays and inputs, the arguments of a call in their order; empty:
///                read-only arrays, other arrays, inputs, each in order of mention
template <fixed_string Name, class Order, class... Steps>
class nest_declaration {
public:
    using types = nest_types<Steps...>;
    using input_values = typename values_of_inputs<typename types::inputs>::type;
    static constexpr std::string_view name = Name.view();
    static constexpr nest_outline<types> outline =
        nest_outline<types>::of(Name.view(), type_list<Steps...>{});

private:
    static constexpr std::size_t arrays = outline.array_count;
    static constexpr std::size_t inputs = outline.input_count;
    using all_types = decltype(joined_lists(typename types::arrays{}, typename types::inputs{}));

    [[nodiscard]] static consteval nest_kept_places<arrays + inputs> usual_order()
    {
        nest_kept_places<arrays + inputs> out;
        for (bool const read : {true, false})
            for (std::size_t i = 0; i < arrays; ++i)
                if (!outline.arrays[i].is_temporary &&
                    (outline.arrays[i].role() == nest_role::read) == read)
                    out.at[out.count++] = i;
        for (std::size_t i = 0; i < inputs; ++i)
            out.at[out.count++] = arrays + i;
        return out;
    }
    template <class... T>
    [[nodiscard]] static consteval nest_kept_places<arrays + inputs> order_of(type_list<T...>)
    {
        if constexpr (sizeof...(T) == 0) {
            return usual_order();
        } else {
            nest_kept_places<arrays + inputs> out;
            for (std::string_view const wanted : {T::name...})
                for (std::size_t i = 0; i < arrays + inputs; ++i) {
                    bool const is_it = i < arrays ? outline.arrays[i].name == wanted &&
                                                        !outline.arrays[i].is_temporary
                                                  : outline.inputs[i - arrays].name == wanted;
                    bool is_new = true;
                    for (std::size_t k = 0; k < out.count; ++k)
                        is_new = is_new && out.at[k] != i;
                    if (is_it && is_new) out.at[out.count++] = i;
                }
            return out;
        }
    }

public:
    /// For each argument the number of an array, or `array_count` plus that of an input.
    static constexpr nest_kept_places<arrays + inputs> order = order_of(Order{});
    static constexpr bool order_is_whole =
        order.count == usual_order().count &&
        (length_of<Order> == 0 || length_of<Order> == order.count);
    using arguments = decltype(picked<order>(all_types{}));

private:
    template <class T>
    [[nodiscard]] static consteval nest_role role_of()
    {
        if constexpr (is_nest_array<T>)
            return outline.arrays[outline.array(T::name)].role();
        else
            return nest_role::read;
    }
    template <class... T>
    static type_list<typename argument_for<T, role_of<T>()>::type...> types_of(type_list<T...>);

public:
    using argument_types = decltype(types_of(arguments{}));
    /// void(std::span<float const>, std::span<float>, int)
    using signature = typename signature_of_list<argument_types>::type;

    /// The same statements with other arguments.
    template <class Arguments>
    using with_order = nest_declaration<Name, Arguments, Steps...>;

    static constexpr std::size_t number_count = (Steps::number_count + ... + 0);
    static constexpr std::array<nest_row, (Steps::row_count + ... + 0)> rows = [] {
        std::array<nest_row, (Steps::row_count + ... + 0)> out{};
        nest_row_sink to{{outline.arrays.data(), arrays},
                         {outline.axes.data(), outline.axis_count},
                         {outline.inputs.data(), inputs},
                         out.data()};
        (Steps::write_rows(to), ...);
        return out;
    }();

    constexpr explicit nest_declaration(value_pack<Steps...> const& of)
        : steps_(of)
    {
    }

    [[nodiscard]] constexpr value_pack<Steps...> const& steps() const noexcept { return steps_; }

    /// The numbers that the rows refer to.
    [[nodiscard]] constexpr outline_list<number_count, std::uint64_t> numbers() const
    {
        outline_list<number_count, std::uint64_t> out{};
        nest_number_sink to{out.data()};
        for_each_part(steps_, [&](auto const& step) { write_numbers_of(to, step); });
        return out;
    }
    [[nodiscard]] static constexpr nest_form form(std::span<std::uint64_t const> numbers)
    {
        return {name,
                {outline.arrays.data(), arrays},
                {outline.axes.data(), outline.axis_count},
                {outline.inputs.data(), inputs},
                rows,
                numbers,
                {order.at.data(), order.count}};
    }

    /// Runs the plain nest.
    /// Errors   attune::error: an array does not have the extents of the declaration, or an index
    ///          leaves it
    template <class... Args>
    void operator()(Args const&... given) const
    {
        nest_call<nest_declaration> call = checked_call(given...);
        nest_temporaries const held({outline.arrays.data(), arrays}, call.whole, call.data);
        nest_evaluator<nest_declaration> const evaluator(call);
        for_each_part(steps_, [&](auto const& step) { evaluator.run(step); });
    }

    /// Returns true if the memory of this call fits every variant: a variant may keep values in
    /// registers, so it would be wrong if a written array overlapped another array.
    /// Errors   those of operator()
    template <class... Args>
    [[nodiscard]] bool is_for_any_code(Args const&... given) const
    {
        static_cast<void>(checked_call(given...));
        std::array<nest_memory, sizeof...(Args)> const all{nest_memory::of(given)...};
        return !writes_what_overlaps(form({}), all);
    }

private:
    template <class... Args>
    [[nodiscard]] nest_call<nest_declaration> checked_call(Args const&... given) const
    {
        nest_call<nest_declaration> call;
        take(call, std::index_sequence_for<Args...>{}, given...);
        std::array<given_size, sizeof...(Args)> const sizes{given_size::of(given)...};
        auto const own = numbers();
        check_call(form(own), call.whole, sizes);
        return call;
    }
    template <std::size_t... Place, class... Args>
    static void take(nest_call<nest_declaration>& call, std::index_sequence<Place...>,
                     Args const&... all)
    {
        (take_one<order.at[Place]>(call, all), ...);
    }
    template <std::size_t Which, class T>
    static void take_one(nest_call<nest_declaration>& call, T const& given)
    {
        if constexpr (Which >= arrays) {
            part_at<Which - arrays>(call.inputs) = given;
            if constexpr (std::integral<T>)
                call.whole[Which - arrays] = static_cast<std::int64_t>(given);
        } else {
            call.data[Which] = given.data();
            if constexpr (requires { given.row_stride(); })
                call.row_stride[Which] = static_cast<std::int64_t>(given.row_stride());
        }
    }

    value_pack<Steps...> steps_;
};

/// The copy of a program that its function reads. It is never freed, because a function pointer may
/// live for ever.
struct kept_program {
    std::vector<std::uint64_t> numbers;
    std::unique_ptr<std::byte[]> bytes; ///< of the declaration
};
using program_slot = std::atomic<kept_program const*>;

/// The slot of the program with these numbers. Takes a free slot if the program has none. Returns
/// the number of slots if other programs have all slots. Any thread may call it.
[[nodiscard]] inline std::size_t slot_of_program(std::span<program_slot> slots,
                                                 std::span<std::uint64_t const> numbers,
                                                 std::span<std::byte const> bytes)
{
    std::unique_ptr<kept_program> own;
    std::size_t i = 0;
    for (; i < slots.size(); ++i) {
        kept_program const* held = slots[i].load(std::memory_order_acquire);
        if (held == nullptr) {
            if (!own) {
                own = std::make_unique<kept_program>();
                own->numbers.assign(numbers.begin(), numbers.end());
                own->bytes.reset(new std::byte[bytes.size()]);
                std::memcpy(own->bytes.get(), bytes.data(), bytes.size());
            }
            if (slots[i].compare_exchange_strong(held, own.get())) held = own.release();
        }
        if (std::equal(held->numbers.begin(), held->numbers.end(), numbers.begin(), numbers.end()))
            break;
    }
    return i;
}

template <class Declaration, class Signature = typename Declaration::signature>
class plain_function;

/// A function without captures for each program of a type. Programs of one type differ only in
/// numbers.
template <class Declaration, class... Args>
class plain_function<Declaration, void(Args...)> {
public:
    using type = void (*)(Args...);
    /// The most programs of one type that have a function.
    static constexpr std::size_t most = Declaration::number_count > 0 ? 16 : 1;

    /// The function that runs this program; null if `most` others of its type have one. Any thread
    /// may call it.
    [[nodiscard]] static type of(Declaration const& program)
    {
        static_assert(std::is_trivially_copyable_v<Declaration>);
        auto const numbers = program.numbers();
        std::size_t const slot =
            slot_of_program(slots, {numbers.data(), Declaration::number_count},
                            {reinterpret_cast<std::byte const*>(&program), sizeof(Declaration)});
        return slot < most ? functions[slot] : nullptr;
    }

private:
    template <std::size_t Slot>
    static void run(Args... args)
    {
        void const* const held = slots[Slot].load(std::memory_order_acquire)->bytes.get();
        (*static_cast<Declaration const*>(held))(args...);
    }

    static inline std::array<program_slot, most> slots{};
    static constexpr std::array<type, most> functions =
        []<std::size_t... Slot>(std::index_sequence<Slot...>) {
            return std::array<type, most>{&run<Slot>...};
        }(std::make_index_sequence<most>{});
};

template <class T>
inline constexpr bool is_nest_assignment = false;
template <write_kind Kind, class Target, class Value>
inline constexpr bool is_nest_assignment<nest_assignment<Kind, Target, Value>> = true;

/// Text in a type, which compilers print.
template <std::size_t N>
struct nest_message {
    char text[N];
};

/// "i: b 192, y 64": the axis, and two arrays with their extents there.
template <class Declaration>
[[nodiscard]] consteval auto text_of_conflict()
{
    constexpr auto parts = [] {
        auto const& of = Declaration::outline;
        outline_axis const& axis = of.axes[of.conflict.axis];
        std::array<char, 256> text{};
        std::size_t size = 0;
        auto const add = [&](std::string_view more) {
            for (char const c : more)
                if (size + 1 < text.size()) text[size++] = c;
        };
        auto const add_extent = [&](outline_extent const& extent) {
            if (!extent.is_constant())
                return add(of.inputs[static_cast<std::size_t>(extent.value)].name);
            std::array<char, 20> digits{};
            std::size_t first = digits.size();
            for (std::int64_t rest = extent.value; rest > 0 || first == digits.size(); rest /= 10)
                digits[--first] = static_cast<char>('0' + rest % 10);
            add({digits.data() + first, digits.size() - first});
        };
        add(axis.name);
        add(": ");
        add(of.arrays[of.conflict.array].name);
        add(" ");
        add_extent(of.conflict.extent);
        add(", ");
        add(axis.has_own_extent ? std::string_view("declared") : of.arrays[axis.from].name);
        add(" ");
        add_extent(axis.extent);
        return std::pair(text, size);
    }();
    nest_message<parts.second + 1> out{};
    for (std::size_t i = 0; i < parts.second; ++i)
        out.text[i] = parts.first[i];
    return out;
}

/// @tparam Conflict  see text_of_conflict()
template <nest_message Conflict>
[[nodiscard]] consteval bool refuse_extents()
{
    static_assert(Conflict.text[0] == '\0',
                  "attune: nest: an axis is an index of two arrays with other extents there, see "
                  "their names; correct an extent, or declare that the program reads a part: "
                  "b[attune::prefix(i, 64)]");
    return false;
}

/// Reports an error in the types as one sentence.
template <class Declaration>
[[nodiscard]] consteval bool check_declaration()
{
    constexpr nest_fault fault = Declaration::outline.fault;
    static_assert(fault != nest_fault::too_large,
                  "attune: nest: a program has at most 64 arrays, 64 axes and 255 elements");
    static_assert(fault != nest_fault::same_name,
                  "attune: nest: two of the program, its arrays, axes and inputs have the same "
                  "name");
    static_assert(fault != nest_fault::reserved_name,
                  "attune: nest: a name is a word of C++, or begins with _; the generated code "
                  "cannot use it");
    static_assert(
        fault != nest_fault::other_shape,
        "attune: nest: two arrays, two axes or two inputs of one name have other types or extents");
    static_assert(fault != nest_fault::target_of_no_axes,
                  "attune: nest: what a statement writes has one index for each dimension, each of "
                  "them another axis: C[i][j] = ...; read with indices such as 2 * i + r instead");
    static_assert(fault != nest_fault::free_axis,
                  "attune: nest: an axis of the value is no index of what is written; reduce over "
                  "it, as by attune::sum(k)(...) or +=");
    static_assert(fault != nest_fault::reduced_target,
                  "attune: nest: a reduction is over an axis that is an index of what is written");
    static_assert(fault != nest_fault::nested_reduction,
                  "attune: nest: a reduction is inside another one; write the inner one to an "
                  "attune::temporary first");
    static_assert(fault != nest_fault::partial_reduction,
                  "attune: nest: a reduction inside a formula has one value for several written "
                  "elements; write it to an attune::temporary first");
    static_assert(fault != nest_fault::written_twice,
                  "attune: nest: two statements write one array; write an attune::temporary first");
    static_assert(
        fault != nest_fault::read_before_written,
        "attune: nest: a temporary is read, or continued by +=, before a statement has written it");
    static_assert(fault != nest_fault::read_and_written,
                  "attune: nest: a statement writes an array that this or an earlier statement "
                  "reads; write another array, or continue it by +=");
    static_assert(
        fault != nest_fault::no_result,
        "attune: nest: the statements write only temporaries, and no array of the caller");
    static_assert(fault != nest_fault::unknown_extent,
                  "attune: nest: an axis is no index of an array by itself, so its extent is not "
                  "known; declare the extent: attune::axis<\"r\", 3>()");
    if constexpr (fault == nest_fault::extents_differ)
        return refuse_extents<text_of_conflict<Declaration>()>();
    static_assert(fault != nest_fault::target_not_whole,
                  "attune: nest: the declared extent of an axis is not that of the array which is "
                  "written; a statement writes all elements");
    if constexpr (fault == nest_fault::none) {
        constexpr bool whole = Declaration::order_is_whole;
        static_assert(whole, "attune: nest: with_arguments(...) names each array that is no "
                             "temporary and each input once");
        return whole;
    } else
        return false;
}

/// Replaces a wrong program, so that the compiler prints only one error.
struct no_declaration {};

template <class... Steps>
[[nodiscard]] consteval value_pack<Steps...> made_steps(Steps const&... steps)
{
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
        return value_pack<Steps...>{{pack_part<At, Steps>{steps}...}};
    }(std::index_sequence_for<Steps...>{});
}

/// A program of `statements`. It is a constant expression, so that a wrong program does not
/// compile.
template <fixed_string Name, class... Statements>
[[nodiscard]] consteval auto declare_nest(Statements const&... statements)
{
    constexpr bool named = is_identifier(Name.view());
    static_assert(named, "attune: nest<\"name\">(...): the name is that of a function");
    constexpr bool written = sizeof...(Statements) > 0 && (is_nest_assignment<Statements> && ...);
    static_assert(written,
                  "attune: nest<\"name\">(...) takes statements: C[i][j] = ..., C[i][j] += ...");
    if constexpr (named && written) {
        using declaration =
            nest_declaration<Name, type_list<>, decltype(make_step(std::declval<Statements>()))...>;
        if constexpr (check_declaration<declaration>()) {
            declaration const out(made_steps(make_step(statements)...));
            auto const numbers = out.numbers();
            if (states_another_extent(declaration::form(numbers)))
                throw declaration_error(
                    "attune: nest: prefix(i, n): n is not the extent of the axis i; the axis has "
                    "the extent of the array that is written, or of the other arrays");
            if (leaves_an_array(declaration::form(numbers)))
                throw declaration_error(
                    "attune: nest: an index leaves its array; write attune::padded(x)[...] where "
                    "it then reads 0, or make the axis shorter");
            return out;
        } else
            return no_declaration{};
    } else
        return no_declaration{};
}

} // namespace attune::inline ATTUNE_ABI::detail
