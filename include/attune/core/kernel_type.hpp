// attune/core/kernel_type.hpp - the text of a type in a kernel file, and the comparison of values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/aggregate.hpp>
#include <attune/core/element.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

struct __half;        // NOLINT(bugprone-reserved-identifier): of CUDA
struct __nv_bfloat16; // NOLINT(bugprone-reserved-identifier)

namespace attune::inline ATTUNE_ABI {

/// The way attune writes and compares a type: the type of a kernel's result, of an argument by
/// value, or of an array element. Built in are arithmetic types, std::byte, enumerations,
/// std::complex, std::array of these, and the half precision types of the compiler. Specialise it
/// for your own structure. The structure must be trivially copyable and hold no pointers:
///
///   name         the type's name in the kernel file
///   header       optional: "<physics/particle.hpp>" or "\"particle.hpp\"", which defines the type
///                there; without it, the kernel file defines the type
///   fields       optional: attune::fields(&T::a, attune::field(&T::b, tolerance)), the members to
///                compare. Without it, attune compares each member of an aggregate with at most 16
///                members and no base class, else all bytes with padding
///   compared_as  instead of fields: the element_type of every number in the type
///   within       optional: the tolerance of each field without a tolerance
///
/// An enumeration without a name is written as its underlying type. Types are restored bytewise.
///
/// Example   template <>
///           struct attune::kernel_type<particle> {
///               static constexpr auto name = "particle";
///           };
template <class T>
struct kernel_type {};

namespace detail {

template <class Whole, class Member>
struct declared_field {
    Member Whole::* where;
    std::optional<tolerance> within{};
};

template <class Whole, class Member>
[[nodiscard]] constexpr declared_field<Whole, Member> as_field(Member Whole::* where) noexcept
{
    return {where, {}};
}
template <class Whole, class Member>
[[nodiscard]] constexpr declared_field<Whole, Member>
as_field(declared_field<Whole, Member> given) noexcept
{
    return given;
}

} // namespace detail

/// A member of a structure and the tolerance of its comparison.
template <class Whole, class Member>
[[nodiscard]] constexpr auto field(Member Whole::* where, tolerance within) noexcept
{
    return detail::declared_field<Whole, Member>{where, within};
}

/// The members of a structure that are compared, for kernel_type<T>::fields.
/// @param all  pointers to members, or field(pointer to member, tolerance)
template <class... F>
[[nodiscard]] constexpr auto fields(F... all) noexcept
{
    return std::tuple{detail::as_field(all)...};
}

#define ATTUNE_KERNEL_TYPE(type)                                                                   \
    template <>                                                                                    \
    struct kernel_type<type> {                                                                     \
        static constexpr char const* name = #type;                                                 \
    };
ATTUNE_KERNEL_TYPE(bool)
ATTUNE_KERNEL_TYPE(char)
ATTUNE_KERNEL_TYPE(signed char)
ATTUNE_KERNEL_TYPE(unsigned char)
ATTUNE_KERNEL_TYPE(wchar_t)
ATTUNE_KERNEL_TYPE(char8_t)
ATTUNE_KERNEL_TYPE(char16_t)
ATTUNE_KERNEL_TYPE(char32_t)
ATTUNE_KERNEL_TYPE(short)
ATTUNE_KERNEL_TYPE(unsigned short)
ATTUNE_KERNEL_TYPE(int)
ATTUNE_KERNEL_TYPE(unsigned int)
ATTUNE_KERNEL_TYPE(long)
ATTUNE_KERNEL_TYPE(unsigned long)
ATTUNE_KERNEL_TYPE(long long)
ATTUNE_KERNEL_TYPE(unsigned long long)
ATTUNE_KERNEL_TYPE(float)
ATTUNE_KERNEL_TYPE(double)
ATTUNE_KERNEL_TYPE(long double)
ATTUNE_KERNEL_TYPE(std::byte)
#undef ATTUNE_KERNEL_TYPE

#ifdef ATTUNE_HAS_FLOAT16
template <>
struct kernel_type<_Float16> {
    static constexpr char const* name = "_Float16";
    static constexpr element_type compared_as = element_type::f16;
};
#endif
#ifdef __ARM_FP16_FORMAT_IEEE
template <>
struct kernel_type<__fp16> {
    static constexpr char const* name = "__fp16";
    static constexpr element_type compared_as = element_type::f16;
};
#endif
#ifdef __BFLT16_MANT_DIG__
template <>
struct kernel_type<__bf16> { // std::bfloat16_t is this type
    static constexpr char const* name = "__bf16";
    static constexpr element_type compared_as = element_type::bf16;
};
#endif
template <>
struct kernel_type<__half> {
    static constexpr char const* name = "__half";
    static constexpr char const* header = "<cuda_fp16.h>";
    static constexpr element_type compared_as = element_type::f16;
};
template <>
struct kernel_type<__nv_bfloat16> {
    static constexpr char const* name = "__nv_bfloat16";
    static constexpr char const* header = "<cuda_bf16.h>";
    static constexpr element_type compared_as = element_type::bf16;
};

namespace detail {

/// std::complex and similar types: two floating-point numbers and nothing else.
template <class T>
concept complex_like =
    requires(T const& z) {
        typename T::value_type;
        z.real();
        z.imag();
    } && std::is_floating_point_v<typename T::value_type> &&
    sizeof(T) == 2 * sizeof(typename T::value_type);

template <class T>
[[nodiscard]] consteval bool is_of_std()
{
    std::string_view const name = __PRETTY_FUNCTION__;
    return name.find("= std::") != name.npos;
}

/// std::complex, recognised without its header, which is slow to parse.
template <class T>
concept standard_complex = complex_like<T> && is_of_std<T>();

template <class T>
inline constexpr std::size_t array_length = 0;
template <class T, std::size_t N>
inline constexpr std::size_t array_length<std::array<T, N>> = N;
template <class T, std::size_t N>
inline constexpr std::size_t array_length<T[N]> = N;

template <class T>
struct member_of_array;
template <class T, std::size_t N>
struct member_of_array<std::array<T, N>> {
    using type = T;
};
template <class T, std::size_t N>
struct member_of_array<T[N]> {
    using type = T;
};

template <class T>
concept has_kernel_name = requires { kernel_type<T>::name; };

} // namespace detail

template <detail::standard_complex T>
struct kernel_type<T> {
    static std::string name()
    {
        return std::string("std::complex<") + kernel_type<typename T::value_type>::name + '>';
    }
    static constexpr char const* header = "<complex>";
};

namespace detail {

/// The name of `T` in a kernel file. @pre has_kernel_name<T>, or an enumeration or std::array
template <class T>
[[nodiscard]] std::string kernel_name()
{
    if constexpr (requires { kernel_type<T>::name(); })
        return std::string(kernel_type<T>::name());
    else if constexpr (has_kernel_name<T>)
        return std::string(kernel_type<T>::name);
    else if constexpr (std::is_enum_v<T>)
        return kernel_name<std::underlying_type_t<T>>();
    else
        return "std::array<" + kernel_name<typename member_of_array<T>::type>() + ", " +
               std::to_string(array_length<T>) + '>';
}

/// The reason why a kernel cannot use `T`.
enum class type_fault : unsigned char {
    none,
    unknown,      ///< a structure without kernel_type<T>::name
    has_pointers, ///< attune could neither restore nor compare the targets
    not_plain,    ///< not trivially copyable
};

template <class T>
[[nodiscard]] consteval type_fault fault_in();

template <class... T>
[[nodiscard]] consteval type_fault first_fault(member_list<T...> /*unused*/)
{
    type_fault found = type_fault::none;
    static_cast<void>(((found = fault_in<T>(), found != type_fault::none) || ...));
    return found;
}

template <class... Whole, class... Member>
[[nodiscard]] consteval member_list<Member...>
types_of(std::tuple<declared_field<Whole, Member>...> const& /*unused*/)
{
    return {};
}

/// The fault of `T` as a number or as a member of a structure. Such a type needs no name.
template <class T>
[[nodiscard]] consteval type_fault fault_in()
{
    using bare = std::remove_cv_t<T>;
    if constexpr (std::is_pointer_v<bare> || std::is_reference_v<bare> ||
                  std::is_member_pointer_v<bare> || std::is_null_pointer_v<bare>)
        return type_fault::has_pointers;
    else if constexpr (std::is_arithmetic_v<bare> || std::is_enum_v<bare> || complex_like<bare> ||
                       requires { kernel_type<bare>::compared_as; })
        return std::is_trivially_copyable_v<bare> ? type_fault::none : type_fault::not_plain;
    else if constexpr (array_length<bare> > 0)
        return fault_in<typename member_of_array<bare>::type>();
    else if constexpr (!std::is_trivially_copyable_v<bare> || std::is_void_v<bare>)
        return type_fault::not_plain;
    else if constexpr (requires { kernel_type<bare>::fields; })
        return first_fault(decltype(types_of(kernel_type<bare>::fields)){});
    else if constexpr (member_types<bare>::size > 0)
        return first_fault(member_types<bare>{});
    else
        return has_kernel_name<bare> ? type_fault::none : type_fault::unknown;
}

template <class T>
[[nodiscard]] consteval bool can_be_named()
{
    using bare = std::remove_cv_t<T>;
    if constexpr (has_kernel_name<bare> || std::is_enum_v<bare>)
        return true;
    else if constexpr (array_length<bare> > 0 && !std::is_array_v<bare>)
        return can_be_named<typename member_of_array<bare>::type>();
    else
        return false;
}

/// The fault of `T` as an argument by value or as an array element.
template <class T>
[[nodiscard]] consteval type_fault kernel_type_fault()
{
    constexpr type_fault inside = fault_in<T>();
    if constexpr (inside == type_fault::none && !can_be_named<T>())
        return type_fault::unknown;
    else
        return inside;
}

template <class T>
[[nodiscard]] constexpr element_type element_type_of_number() noexcept
{
    if constexpr (std::is_same_v<T, float>) {
        return element_type::f32;
    } else if constexpr (std::is_same_v<T, double>) {
        return element_type::f64;
    } else if constexpr (std::is_same_v<T, long double>) {
        return sizeof(T) == 8 ? element_type::f64 : element_type::extended;
    } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
        constexpr bool is_signed = std::is_signed_v<T>;
        if constexpr (sizeof(T) == 1) return is_signed ? element_type::i8 : element_type::u8;
        if constexpr (sizeof(T) == 2) return is_signed ? element_type::i16 : element_type::u16;
        if constexpr (sizeof(T) == 4) return is_signed ? element_type::i32 : element_type::u32;
        if constexpr (sizeof(T) == 8) return is_signed ? element_type::i64 : element_type::u64;
    } else {
        return element_type::opaque;
    }
}

/// The element type of an array of `T`. An enumeration gives the type of its integer, a complex
/// number the type of its parts, a std::array the type of its elements. Structures are opaque.
/// Numbers that are not 1 to 8 bytes long are opaque too, except long double.
template <class T>
[[nodiscard]] constexpr element_type element_type_of() noexcept
{
    using plain = std::remove_cv_t<T>;
    if constexpr (requires { kernel_type<plain>::compared_as; })
        return kernel_type<plain>::compared_as;
    else if constexpr (std::is_enum_v<plain>)
        return element_type_of_number<std::underlying_type_t<plain>>();
    else if constexpr (complex_like<plain>)
        return element_type_of_number<typename plain::value_type>();
    else if constexpr (array_length<plain> > 0)
        return element_type_of<typename member_of_array<plain>::type>();
    else
        return element_type_of_number<plain>();
}

/// Collects the runs of one element; `is_complete` is false if there are too many.
struct run_collector {
    element_format& out;
    bool is_complete = true;

    void add(element_run const& one)
    {
        if (out.run_count == element_format::most_runs)
            is_complete = false;
        else
            out.runs[out.run_count++] = one;
    }
};

template <class T>
void collect_runs(run_collector& into, std::size_t offset, std::optional<tolerance> within);

template <class T>
[[nodiscard]] std::optional<tolerance> tolerance_of_type(std::optional<tolerance> given)
{
    if constexpr (requires { kernel_type<T>::within; })
        if (!given) return kernel_type<T>::within;
    return given;
}

template <class... M>
void collect_members(run_collector& into, std::size_t begin, std::size_t bytes,
                     std::optional<tolerance> within, member_list<M...> /*unused*/)
{
    std::size_t at = 0;
    std::size_t alignment = 1;
    auto const place = [&](std::size_t size, std::size_t aligned) {
        std::size_t const here = (at + aligned - 1) / aligned * aligned;
        alignment = aligned > alignment ? aligned : alignment;
        at = here + size;
        return here;
    };
    (collect_runs<std::remove_cv_t<M>>(into, begin + place(sizeof(M), alignof(M)), within), ...);
    // A different size means bit-fields or specially aligned members: offsets are unknown.
    if ((at + alignment - 1) / alignment * alignment != bytes) into.is_complete = false;
}

template <class Whole, class Member>
void collect_field(run_collector& into, std::size_t begin, std::optional<tolerance> within,
                   declared_field<Whole, Member> const& one)
{
    alignas(Whole) static constexpr unsigned char memory[sizeof(Whole)] = {};
    auto const* const whole = reinterpret_cast<Whole const*>(memory);
    auto const* const member = reinterpret_cast<unsigned char const*>(&(whole->*one.where));
    collect_runs<std::remove_cv_t<Member>>(into, begin + static_cast<std::size_t>(member - memory),
                                           one.within ? one.within : within);
}

template <class T>
void collect_runs(run_collector& into, std::size_t offset, std::optional<tolerance> outer)
{
    std::optional<tolerance> const within = tolerance_of_type<T>(outer);
    constexpr element_type type = element_type_of<T>();
    if constexpr (type != element_type::opaque) {
        into.add({static_cast<std::uint32_t>(offset),
                  static_cast<std::uint32_t>(sizeof(T) / element_bytes(type)), type,
                  within.value_or(default_tolerance(type))});
    } else if constexpr (array_length<T> > 0) {
        using member = std::remove_cv_t<typename member_of_array<T>::type>;
        for (std::size_t i = 0; i < array_length<T>; ++i)
            collect_runs<member>(into, offset + i * sizeof(member), within);
    } else if constexpr (requires { kernel_type<T>::fields; }) {
        std::apply([&](auto const&... one) { (collect_field(into, offset, within, one), ...); },
                   kernel_type<T>::fields);
    } else if constexpr (member_types<T>::size > 0) {
        std::uint32_t const before = into.out.run_count;
        bool const was_complete = into.is_complete;
        collect_members(into, offset, sizeof(T), within, member_types<T>{});
        if (was_complete && !into.is_complete && before < element_format::most_runs) {
            into.out.run_count = before;
            into.is_complete = true;
            into.add({static_cast<std::uint32_t>(offset), sizeof(T)});
        }
    } else {
        into.add({static_cast<std::uint32_t>(offset), sizeof(T)});
    }
}

template <class T>
[[nodiscard]] element_format make_format()
{
    element_format out;
    out.bytes = sizeof(T);
    out.type = element_type_of<T>();
    out.within = tolerance_of_type<T>({}).value_or(default_tolerance(out.type));
    if (out.type != element_type::opaque) return out;
    run_collector runs{out};
    collect_runs<T>(runs, 0, {});
    bool const is_opaque = out.run_count == 1 && out.runs[0].type == element_type::opaque;
    if (!runs.is_complete || is_opaque) out.run_count = 0;
    return out;
}

/// The rule to compare elements of type `T`.
template <class T>
[[nodiscard]] element_format const& format_of()
{
    static element_format const made = make_format<std::remove_cv_t<T>>();
    return made;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
