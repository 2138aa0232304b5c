// attune/compile/clang/detail/server_frames.hpp - messages between a program and its compile server, and values as bytes.
// SPDX-License-Identifier: MIT
//
// A control socket (SOCK_SEQPACKET) carries a job_order for each job, with the job's own socket
// (SOCK_STREAM). The program sends the order to the server, and the server sends it to a worker. On
// the job's socket, the program writes three frames `input`: the surroundings, the job, the name of
// the result of `prepare`. A worker without that result sends a frame `wanted`. The worker answers
// with a frame `reply`. If the worker died, the server answers with `ending` or `again`. A limit on
// the size of files (ulimit -f) does not apply to sockets.
//
// Numbers have the machine's layout. A structure names its members once, for both directions:
//     template <class Self, class Visit>
//     static void members(Self& self, Visit& visit) { visit(self.name, self.size); }
#pragma once

#include <attune/core/version.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/types.h>
#include <type_traits>
#include <unistd.h>
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

/// Reads the values of a byte_writer, in the same order, into empty values.
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

/// Errors   std::runtime_error: `bytes` is shorter than the result of packed()
template <class T>
[[nodiscard]] T unpacked(std::string_view bytes)
{
    T value{};
    byte_reader in(bytes);
    in(value);
    return value;
}

/// The server's first message. A program uses only a server whose greeting equals its own.
struct server_greeting {
    char version[32]{};    ///< version of LLVM
    char processor[160]{}; ///< processor_text(), which differs under an emulator
    char files[40]{};      ///< loaded_files_key(): the loaded module, Clang and LLVM
};

struct job_order {
    double limit_s{};     ///< wall seconds after which the server ends the job
    bool is_fresh{false}; ///< the job needs a new worker
};

/// Ends each reply, because a worker may be killed while it writes.
inline constexpr std::string_view reply_end{"\0attune-reply-whole\0", 20};

enum class frame_kind : std::uint64_t {
    input = 1,
    wanted, ///< worker: send the result of `prepare`
    reply,  ///< worker: the reply
    ending, ///< server: the way the worker ended
    again,  ///< server: the worker ended, perhaps because of an earlier job
};

struct frame_head {
    frame_kind kind{};
    std::uint64_t size{};
};

/// @return  false: the other end has closed the socket
[[nodiscard]] inline bool send_bytes(int socket, std::string_view bytes)
{
    while (!bytes.empty()) {
        ssize_t const sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

[[nodiscard]] inline bool send_frame(int socket, frame_kind kind, std::string_view bytes)
{
    frame_head const head{kind, bytes.size()};
    char raw[sizeof head];
    std::memcpy(raw, &head, sizeof head);
    return send_bytes(socket, {raw, sizeof raw}) && send_bytes(socket, bytes);
}

/// @return  false: the other end has closed the socket, or the socket's time limit passed
[[nodiscard]] inline bool receive_bytes(int socket, char* to, std::size_t size)
{
    while (size > 0) {
        ssize_t const got = ::recv(socket, to, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

/// @return  as receive_bytes()
[[nodiscard]] inline bool receive_frame(int socket, frame_kind& kind, std::string& bytes)
{
    frame_head head;
    char raw[sizeof head];
    if (!receive_bytes(socket, raw, sizeof raw)) return false;
    std::memcpy(&head, raw, sizeof head);
    kind = head.kind;
    bytes.resize(head.size);
    return receive_bytes(socket, bytes.data(), bytes.size());
}

/// A message with a job_order and room for a socket.
struct order_message {
    explicit order_message(job_order& order)
        : part{&order, sizeof order}
    {
        head.msg_iov = &part;
        head.msg_iovlen = 1;
        head.msg_control = room;
        head.msg_controllen = sizeof room;
    }
    order_message(order_message const&) = delete;
    order_message& operator=(order_message const&) = delete;

    iovec part;
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))]{};
    msghdr head{};
};

/// Sends a job_order with a socket.  @return  0, or an errno
[[nodiscard]] inline int send_order(int control, job_order order, int socket)
{
    order_message message(order);
    cmsghdr* const rights = CMSG_FIRSTHDR(&message.head);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &socket, sizeof socket);
    for (;;) {
        if (::sendmsg(control, &message.head, MSG_NOSIGNAL) >= 0) return 0;
        if (errno != EINTR) return errno;
    }
}

/// @param socket  the job's socket; -1: none came
/// @return  false: the other end has closed the control socket
[[nodiscard]] inline bool receive_order(int control, job_order& order, int& socket)
{
    order_message message(order);
    socket = -1;
    ssize_t got = 0;
    do
        got = ::recvmsg(control, &message.head, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    cmsghdr const* const rights = CMSG_FIRSTHDR(&message.head);
    if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS)
        std::memcpy(&socket, CMSG_DATA(rights), sizeof socket);
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
