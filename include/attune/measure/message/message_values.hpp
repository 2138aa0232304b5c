// attune/measure/message/message_values.hpp - values and outcomes of one message, encoded as CBOR.
// SPDX-License-Identifier: MIT
// Source   RFC 8949, by nlohmann-json: one array of numbers, booleans and byte strings
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// Thrown for a message with a wrong form or value.
struct damaged_message : std::runtime_error {
    damaged_message()
        : std::runtime_error("a message is damaged")
    {
    }
};

/// Encodes values, one after another.
class message_writer {
public:
    message_writer();
    ~message_writer();
    message_writer(message_writer const&) = delete;
    message_writer& operator=(message_writer const&) = delete;

    /// A boolean, a number or an enumerator.
    template <class T>
        requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void put(T value)
    {
        if constexpr (std::same_as<T, bool>)
            put_flag(value);
        else if constexpr (std::is_enum_v<T>)
            put(static_cast<std::underlying_type_t<T>>(value));
        else if constexpr (std::is_floating_point_v<T>)
            put_number(static_cast<double>(value));
        else if constexpr (std::is_signed_v<T>)
            put_signed(static_cast<std::int64_t>(value));
        else
            put_unsigned(static_cast<std::uint64_t>(value));
    }
    template <class T, std::size_t Count>
    void put(std::array<T, Count> const& values)
    {
        for (T const& one : values)
            put(one);
    }
    /// Any bytes, which need not be UTF-8.
    void put_text(std::string_view value);
    [[nodiscard]] std::string take();

private:
    struct state;
    void put_flag(bool value);
    void put_number(double value);
    void put_signed(std::int64_t value);
    void put_unsigned(std::uint64_t value);

    std::unique_ptr<state> state_;
};

/// Decodes values in the order in which they were encoded.
class message_reader {
public:
    /// If `text` is no message, the first get() throws damaged_message.
    explicit message_reader(std::string_view text);
    ~message_reader();
    message_reader(message_reader const&) = delete;
    message_reader& operator=(message_reader const&) = delete;

    /// Errors   damaged_message: no value is left, it has another type, or T cannot hold it. The
    ///          caller must check the range of enumerators
    template <class T>
    [[nodiscard]] T get()
    {
        if constexpr (std::same_as<T, bool>) {
            return get_flag();
        } else if constexpr (std::is_enum_v<T>) {
            return static_cast<T>(get<std::underlying_type_t<T>>());
        } else if constexpr (std::is_floating_point_v<T>) {
            return static_cast<T>(get_any_number());
        } else if constexpr (std::is_signed_v<T>) {
            std::int64_t const value = get_signed();
            if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
                throw damaged_message();
            return static_cast<T>(value);
        } else if constexpr (std::is_unsigned_v<T>) {
            std::uint64_t const value = get_unsigned();
            if (value > std::numeric_limits<T>::max()) throw damaged_message();
            return static_cast<T>(value);
        } else { // std::array
            T out{};
            for (auto& one : out)
                one = get<std::remove_reference_t<decltype(one)>>();
            return out;
        }
    }
    /// Errors   damaged_message: also for NaN, which cannot be sorted
    [[nodiscard]] double get_number()
    {
        double const value = get_any_number();
        if (value != value) throw damaged_message();
        return value;
    }
    [[nodiscard]] std::string get_text();
    /// A number of elements. It is at most the number of remaining values, because each element
    /// takes a value.
    [[nodiscard]] std::size_t get_count();
    [[nodiscard]] bool is_at_end() const noexcept;

private:
    struct state;
    [[nodiscard]] bool get_flag();
    [[nodiscard]] double get_any_number();
    [[nodiscard]] std::int64_t get_signed();
    [[nodiscard]] std::uint64_t get_unsigned();

    std::unique_ptr<state> state_;
};

void put_failure(message_writer& to, failure const& what);
void put_measurement(message_writer& to, measurement const& what);
void put_outcome(message_writer& to, outcome const& what);

/// Errors   damaged_message: also for a stage that does not exist
[[nodiscard]] failure get_failure(message_reader& from);
[[nodiscard]] measurement get_measurement(message_reader& from);
[[nodiscard]] outcome get_outcome(message_reader& from);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/message/message_values.ipp>
#endif
