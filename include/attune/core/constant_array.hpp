// attune/core/constant_array.hpp - an array that never changes; the argument type of a kernel for it; programs keep packed forms of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
    [[gnu::always_inline]] constexpr constant_view(T const* data, std::size_t size) noexcept
        : data_(data)
        , size_(size)
    {
    }
    /// @param forms  kept forms of these elements; null: each call packs the elements
    [[gnu::always_inline]] constexpr constant_view(T const* data, std::size_t size,
                                                   detail::constant_forms* forms) noexcept
        : data_(data)
        , size_(size)
        , forms_(forms)
    {
    }

    [[nodiscard, gnu::always_inline]] constexpr T const* data() const noexcept { return data_; }
    [[nodiscard, gnu::always_inline]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard, gnu::always_inline]] constexpr detail::constant_forms* forms() const noexcept
    {
        return forms_;
    }

private:
    T const* data_ = nullptr;
    std::size_t size_ = 0;
    detail::constant_forms* forms_ = nullptr;
};

namespace detail {

/// A list of owned forms, which only grows. It needs no lock, so a forked child never finds a
/// locked or half changed list.
class form_list : public constant_forms {
public:
    form_list() noexcept
        : constant_forms{&find_in, &begin_in, &keep_in}
    {
    }
    ~form_list()
    {
        for (form* at = first_.load(); at != nullptr;)
            form::drop(std::exchange(at, at->next));
    }
    form_list(form_list const&) = delete;
    form_list& operator=(form_list const&) = delete;

    /// Bytes of all forms. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept
    {
        std::size_t out = 0;
        for (form const* at = first_.load(std::memory_order_acquire); at != nullptr; at = at->next)
            out += at->bytes;
        return out;
    }

private:
    /// One block of memory holds this object, the numbers, the name and the elements. The elements
    /// begin at a cache line. Nothing here throws: a release may be compiled without exceptions.
    struct form {
        static constexpr std::size_t line = 64;

        /// Returns null if there is no memory.
        [[nodiscard]] static form* made(std::string_view name, std::span<long const> numbers,
                                        std::size_t bytes) noexcept
        {
            std::size_t const head = sizeof(form) + numbers.size_bytes() + name.size();
            std::size_t const first = (head + line - 1) / line * line;
            void* const memory =
                ::operator new(first + bytes, std::align_val_t{line}, std::nothrow);
            if (memory == nullptr) return nullptr;
            auto* const out =
                ::new (memory) form{nullptr, numbers.size(), name.size(), first, bytes};
            if (!numbers.empty())
                std::memcpy(out->memory() + sizeof(form), numbers.data(), numbers.size_bytes());
            std::memcpy(out->memory() + sizeof(form) + numbers.size_bytes(), name.data(),
                        name.size());
            return out;
        }
        static void drop(form* one) noexcept { ::operator delete(one, std::align_val_t{line}); }

        [[nodiscard]] bool is(std::string_view name, std::span<long const> numbers) const noexcept
        {
            char const* const own = memory() + sizeof(form);
            return name_size == name.size() && number_count == numbers.size() &&
                   (numbers.empty() ||
                    std::memcmp(own, numbers.data(), numbers.size_bytes()) == 0) &&
                   std::memcmp(own + numbers.size_bytes(), name.data(), name.size()) == 0;
        }
        [[nodiscard]] std::string_view name() const noexcept
        {
            return {memory() + sizeof(form) + number_count * sizeof(long), name_size};
        }
        [[nodiscard]] std::span<long const> numbers() const noexcept
        {
            return {reinterpret_cast<long const*>(memory() + sizeof(form)), number_count};
        }
        [[nodiscard]] void* data() noexcept { return memory() + first; }
        [[nodiscard]] void const* data() const noexcept { return memory() + first; }

        form* next;
        std::size_t number_count;
        std::size_t name_size;
        std::size_t first; ///< offset of the elements in the block, in bytes
        std::size_t bytes; ///< bytes of the elements

        [[nodiscard]] char* memory() noexcept { return reinterpret_cast<char*>(this); }
        [[nodiscard]] char const* memory() const noexcept
        {
            return reinterpret_cast<char const*>(this);
        }
    };

    [[nodiscard]] form const* find(std::string_view name,
                                   std::span<long const> numbers) const noexcept
    {
        for (form const* at = first_.load(std::memory_order_acquire); at != nullptr; at = at->next)
            if (at->is(name, numbers)) return at;
        return nullptr;
    }

    static form_list& of(constant_forms* in) noexcept { return *static_cast<form_list*>(in); }
    static std::span<long const> span_of(long const* numbers, long count) noexcept
    {
        return {numbers, static_cast<std::size_t>(count)};
    }
    static void const* find_in(constant_forms* in, char const* name, long const* numbers,
                               long count)
    {
        form const* const found = of(in).find(name, span_of(numbers, count));
        return found == nullptr ? nullptr : found->data();
    }
    static void* begin_in(constant_forms* /*in*/, char const* name, long const* numbers, long count,
                          unsigned long bytes, void** begun)
    {
        form* const made = form::made(name, span_of(numbers, count), bytes);
        *begun = made;
        return made == nullptr ? nullptr : made->data();
    }
    static void const* keep_in(constant_forms* in, void* begun)
    {
        auto* const made = static_cast<form*>(begun);
        form* head = of(in).first_.load(std::memory_order_acquire);
        do {
            if (form const* const same = of(in).find(made->name(), made->numbers())) {
                form::drop(made);
                return same->data();
            }
            made->next = head;
        } while (!of(in).first_.compare_exchange_weak(head, made, std::memory_order_acq_rel,
                                                      std::memory_order_acquire));
        return made->data();
    }

    std::atomic<form*> first_{nullptr};
};

} // namespace detail

/// An array that is an argument of many calls and never changes, such as the weights of a network.
/// A program declares it with attune::constant(). The first call of a program packs the elements in
/// the order in which its inner loop reads them; later calls read the packed form.
///
/// For new numbers make a new array; it has its own forms. Copies share elements and forms, and the
/// last copy frees them. Any number of threads may call with the same array. Each form has about as
/// many bytes as the array; each order in which programs read it has one form.
///
/// Example   attune::constant_array<float> weights(read_weights());  // a std::vector<float>
///           fast(x, weights, y);                                    // the first call packs
///           weights = attune::constant_array<float>(after_training());
template <class T>
class constant_array {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
                      !std::is_same_v<T, bool>,
                  "attune: constant_array<T>: T is a number, such as float, without const");

public:
    using value_type = T;

    constant_array() = default;
    /// Takes a vector's elements, without a copy if it is moved. Nothing may write through older
    /// pointers to these elements.
    explicit constant_array(std::vector<T> elements)
        : held_(std::make_shared<held>(std::move(elements)))
    {
    }
    explicit constant_array(std::span<T const> elements)
        : constant_array(std::vector<T>(elements.begin(), elements.end()))
    {
    }

    [[nodiscard]] T const* data() const noexcept
    {
        return held_ ? held_->elements.data() : nullptr;
    }
    [[nodiscard]] std::size_t size() const noexcept { return held_ ? held_->elements.size() : 0; }
    [[nodiscard]] T const& operator[](std::size_t i) const { return held_->elements[i]; }
    [[nodiscard]] T const* begin() const noexcept { return data(); }
    [[nodiscard]] T const* end() const noexcept { return data() + size(); }

    /// Bytes of the forms that programs have made so far.
    [[nodiscard]] std::size_t kept_bytes() const noexcept
    {
        return held_ ? held_->forms.bytes() : 0;
    }

    /// Converts to an argument of a call. Refused for a temporary array: its packed form would
    /// serve one call.
    operator constant_view<T>() const& noexcept // NOLINT(google-explicit-constructor)
    {
        return {data(), size(), held_ ? &held_->forms : nullptr};
    }
    operator constant_view<T>() const&& = delete;

private:
    struct held {
        explicit held(std::vector<T> of)
            : elements(std::move(of))
        {
        }
        std::vector<T> const elements;
        detail::form_list forms{};
    };
    std::shared_ptr<held> held_{};
};

} // namespace attune::inline ATTUNE_ABI
