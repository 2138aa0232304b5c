// attune/core/constant_view.hpp - the argument type of a kernel for an array that never changes.
// SPDX-License-Identifier: MIT
// tested by core/constant_array.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The place where programs keep forms of one array's elements between calls. A text and numbers
/// name a form. Any thread may use an object. Generated text has a structure with the same members:
/// see compile/source/entry.hpp.
struct constant_forms {
    /// Returns the elements of a form, or null if there is none yet.
    void const* (*find)(constant_forms* in, char const* name, long const* numbers, long count);
    /// Returns memory for a new form, at the start of a cache line, or null if there is none.
    /// @param form  receives the argument of keep()
    void* (*begin)(constant_forms* in, char const* name, long const* numbers, long count,
                   unsigned long bytes, void** form);
    /// Returns the elements of this form, or of an equal form that another thread kept in the
    /// meantime.
    void const* (*keep)(constant_forms* in, void* form);
};

} // namespace detail

/// The elements of a constant_array as an argument of a call. The array must outlive the call.
template <class T>
class constant_view {
public:
    using element_type = T const;

    constexpr constant_view() = default;
    /// A view without kept forms: each call packs the elements again.
    __attribute__((always_inline)) constexpr constant_view(T const* data, std::size_t size) noexcept
        : data_(data)
        , size_(size)
    {
    }
    /// @param forms  kept forms of these elements; null: each call packs the elements
    __attribute__((always_inline)) constexpr constant_view(T const* data, std::size_t size,
                                                           detail::constant_forms* forms) noexcept
        : data_(data)
        , size_(size)
        , forms_(forms)
    {
    }

    [[nodiscard]] __attribute__((always_inline)) constexpr T const* data() const noexcept
    {
        return data_;
    }
    [[nodiscard]] __attribute__((always_inline)) constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    [[nodiscard]] __attribute__((always_inline)) constexpr detail::constant_forms*
    forms() const noexcept
    {
        return forms_;
    }

private:
    T const* data_ = nullptr;
    std::size_t size_ = 0;
    detail::constant_forms* forms_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI
