// attune/measure/cuda/worker/worker_wire.hpp - messages between the program and a worker process.
// SPDX-License-Identifier: MIT
//
// Both ends are the same program, so numbers travel as they lie in memory; lengths are checked all
// the same, since a worker may have been overwritten by a variant
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::worker {

/// A message that cannot be what its sender meant.
struct damaged_message : std::runtime_error {
    damaged_message()
        : std::runtime_error("a message of the worker process is damaged")
    {
    }
};

/// An open file, closed with its owner.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept
        : number_(number)
    {
    }
    descriptor(descriptor&& other) noexcept
        : number_(std::exchange(other.number_, -1))
    {
    }
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor();

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }

private:
    int number_ = -1;
};

/// Memory that can be handed to another process.
class shared_memory {
public:
    shared_memory() = default;
    /// Zeros, to be written.
    /// Errors   attune::error: no memory, or no such thing on this system
    explicit shared_memory(std::size_t bytes);
    /// What another process has written, to be read only.
    /// Errors   damaged_message: it is not as long as that
    shared_memory(descriptor file, std::size_t bytes);
    shared_memory(shared_memory&& other) noexcept;
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory();

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The file alone: it keeps what was written.
    [[nodiscard]] descriptor take_file() noexcept { return std::move(file_); }

private:
    void map(int protection);

    descriptor file_{};
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// What a message is about. Those of the first row ask, the others answer.
enum class message_kind : std::uint32_t {
    begin,
    establish,
    first_run,
    contents,
    time,
    compare,
    ready,       ///< to begin
    unreachable, ///< to begin: the arrays cannot be had in this way
    answer,      ///< to all others
    thrown,      ///< to any: an exception
    last_answer, ///< an answer too, of a worker whose arrays may be damaged: it is to be replaced
};

/// One message as it travels.
struct message {
    message_kind kind{};
    std::string text{}; ///< made by `writer`
    descriptor bulk{};  ///< a shared_memory of `bulk_bytes`, if any
    std::uint64_t bulk_bytes = 0;
};

/// Puts values one after the other.
class writer {
public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void put(T const& value)
    {
        text_.append(reinterpret_cast<char const*>(&value), sizeof value);
    }
    void put_text(std::string_view value)
    {
        put(value.size());
        text_ += value;
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_{};
};

/// Takes them in the same order.
class reader {
public:
    explicit reader(std::string_view text)
        : text_(text)
    {
    }
    /// Errors   damaged_message: fewer bytes are left
    template <class T>
        requires std::is_trivially_copyable_v<T>
    [[nodiscard]] T get()
    {
        T value{};
        std::string_view const bytes = take(sizeof value);
        std::memcpy(&value, bytes.data(), sizeof value);
        if constexpr (std::is_same_v<T, bool>) require_flag(value);
        return value;
    }
    /// A byte that is neither 0 nor 1 is no bool: to look at it as one has no meaning in C++.
    /// Errors   damaged_message
    static void require_flag(bool const& received)
    {
        unsigned char byte = 0;
        std::memcpy(&byte, &received, sizeof byte);
        if (byte > 1) throw damaged_message();
    }
    /// Errors   damaged_message: it is NaN, by which nothing can be sorted
    [[nodiscard]] double get_number()
    {
        auto const value = get<double>();
        if (value != value) throw damaged_message();
        return value;
    }
    [[nodiscard]] std::string get_text() { return std::string(take(get<std::size_t>())); }
    /// A number of things of which each takes at least a byte: no larger than what is left.
    [[nodiscard]] std::size_t get_count()
    {
        auto const count = get<std::size_t>();
        if (count > text_.size()) throw damaged_message();
        return count;
    }
    [[nodiscard]] bool is_at_end() const noexcept { return text_.empty(); }

private:
    [[nodiscard]] std::string_view take(std::size_t bytes)
    {
        if (bytes > text_.size()) throw damaged_message();
        std::string_view const taken = text_.substr(0, bytes);
        text_.remove_prefix(bytes);
        return taken;
    }

    std::string_view text_;
};

enum class transfer : std::uint8_t {
    done,
    ended, ///< the other end is gone
    late,  ///< the time is up
};

/// Two connected ends, which programs started from here do not inherit.
/// Errors   attune::error
[[nodiscard]] std::pair<descriptor, descriptor> make_connection();

/// @param until_s  on the steady clock, see system_clocks; infinite: wait as long as it takes
[[nodiscard]] transfer send(int socket, message const& what, double until_s);
/// Errors   damaged_message
[[nodiscard]] transfer receive(int socket, message& into, double until_s);

namespace detail {
/// Waits for the socket. @return  done: it is worth trying
[[nodiscard]] transfer wait_for(int socket, short events, double until_s);
} // namespace detail

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_wire.ipp>
#endif
