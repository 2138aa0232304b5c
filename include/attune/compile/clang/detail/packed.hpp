// attune/compile/clang/detail/packed.hpp - values as bytes, for the process that started from the same file.
// SPDX-License-Identifier: MIT
//
// Numbers have the machine's layout. A structure names its members once, for both directions:
//     template <class Self, class Visit>
//     static void members(Self& self, Visit& visit) { visit(self.name, self.size); }
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

template <class T>
inline constexpr bool is_pointed_to = false;
template <class T>
inline constexpr bool is_pointed_to<std::unique_ptr<T>> = true;

/// Texts, and llvm::SmallVector<char>.
template <class T>
concept packed_as_text = requires(T& t) {
    t.size();
    requires sizeof(*t.data()) == 1;
};

template <class T>
concept packed_as_pair = requires(T& t) { t.first, t.second; };

/// Writes values one after the other.
class byte_writer {
public:
    template <class... Values>
    void operator()(Values const&... values)
    {
        (add(values), ...);
    }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    template <class T>
    void add(T const& value)
    {
        if constexpr (requires { T::members(value, *this); }) {
            T::members(value, *this);
        } else if constexpr (packed_as_text<T const>) {
            add(value.size());
            bytes_.append(value.data(), value.size());
        } else if constexpr (packed_as_pair<T const>) {
            (*this)(value.first, value.second);
        } else if constexpr (is_pointed_to<T>) {
            add(value != nullptr);
            if (value) add(*value);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            char raw[sizeof value];
            std::memcpy(raw, &value, sizeof value);
            bytes_.append(raw, sizeof value);
        } else {
            add(value.size());
            for (auto const& one : value)
                add(one);
        }
    }

    std::string bytes_{};
};

/// Reads what a byte_writer wrote, in the same order, into values that are empty.
/// Errors   std::runtime_error: the bytes end too early
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes)
        : bytes_(bytes)
    {
    }
    template <class... Values>
    void operator()(Values&... values)
    {
        (get(values), ...);
    }

private:
    template <class First, class Second>
    static std::pair<std::remove_const_t<First>, Second> changeable(std::pair<First, Second>);
    template <class T>
    static T changeable(T);

    template <class T>
    void get(T& value)
    {
        if constexpr (requires { T::members(value, *this); }) {
            T::members(value, *this);
        } else if constexpr (packed_as_text<T>) {
            std::string_view const text = take(number());
            value.assign(text.begin(), text.end());
        } else if constexpr (packed_as_pair<T>) {
            (*this)(value.first, value.second);
        } else if constexpr (is_pointed_to<T>) {
            bool is_there = false;
            get(is_there);
            if (!is_there) return;
            auto made = std::make_unique<std::remove_const_t<typename T::element_type>>();
            get(*made);
            value = std::move(made);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            std::memcpy(&value, take(sizeof value).data(), sizeof value);
        } else {
            for (std::size_t left = number(); left > 0; --left) {
                decltype(changeable(std::declval<typename T::value_type>())) one{};
                get(one);
                value.insert(value.end(), std::move(one));
            }
        }
    }
    [[nodiscard]] std::size_t number()
    {
        std::size_t value = 0;
        get(value);
        return value;
    }
    [[nodiscard]] std::string_view take(std::size_t size)
    {
        if (size > bytes_.size()) throw std::runtime_error("a message is cut short");
        std::string_view const taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    std::string_view bytes_;
};

template <class T>
[[nodiscard]] std::string packed(T const& value)
{
    byte_writer out;
    out(value);
    return out.take();
}

/// Errors   std::runtime_error: `bytes` is shorter than what packed() gave
template <class T>
[[nodiscard]] T unpacked(std::string_view bytes)
{
    T value{};
    byte_reader in(bytes);
    in(value);
    return value;
}

} // namespace attune::inline ATTUNE_ABI::detail
