// attune/core/constant_view.hpp - how a kernel takes an array whose elements never change.
// SPDX-License-Identifier: MIT
// tested by core/constant_array.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Where programs keep forms of one array's elements between calls. A form is named by a text and
/// by numbers. Any thread. Generated text has a structure with the same members: see
/// compile/source/own_span.hpp.
struct constant_forms {
    /// The elements of a form; null: there is none yet.
    void const* (*find)(constant_forms* in, char const* name, long const* numbers, long count);
    /// Memory for a new form, which begins with a cache line; null: there is no memory.
    /// @param form  gets what keep() takes
    void* (*begin)(constant_forms* in, char const* name, long const* numbers, long count,
                   unsigned long bytes, void** form);
    /// The elements of the form that was begun, or of an equal one that another thread has kept
    /// in the meantime.
    void const* (*keep)(constant_forms* in, void* form);
};

} // namespace detail

/// The elements of a constant_array as an argument of a call. Refers to the array, which outlives
/// the call.
template <class T>
class constant_view {
public:
    using element_type = T const;

    constexpr constant_view() = default;
    /// A view without kept forms of its elements: each call makes its own.
    __attribute__((always_inline)) constexpr constant_view(T const* data, std::size_t size) noexcept
        : data_(data)
        , size_(size)
    {
    }
    /// @param forms  of these elements, null: as above
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
