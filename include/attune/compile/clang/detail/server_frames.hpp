// attune/compile/clang/detail/server_frames.hpp - what a program and its compile server write to each other.
// SPDX-License-Identifier: MIT
//
// A control socket (SOCK_SEQPACKET) carries one job_order for each job, with the job's own socket
// (SOCK_STREAM): from the program to the server, and from there to one of the server's workers. On
// the job's socket, the program writes three frames `input`: the surroundings, the job, the name of
// what `prepare` gave. A worker that does not have that yet asks for it by a frame `wanted`. It
// answers with a frame `reply`; when it died, the server answers with `ending` or `again`. Sockets,
// because a limit on the size of files (ulimit -f) does not apply to them.
#pragma once

#include <attune/core/version.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The server's first message. The program uses no server that says something else than itself.
struct server_greeting {
    char version[32]{};    ///< of LLVM
    char processor[160]{}; ///< of processor_text(): an emulator may run the program alone
    char files[40]{}; ///< of loaded_files_key(): the module, Clang and LLVM, as they are loaded
};

struct job_order {
    double limit_s{};     ///< wall seconds after which the server ends the job
    bool is_fresh{false}; ///< it needs a worker that has done no job
};

/// Ends each reply, because a worker may be killed while it writes.
inline constexpr std::string_view reply_end{"\0attune-reply-whole\0", 20};

enum class frame_kind : std::uint64_t {
    input = 1,
    wanted, ///< of a worker: send what `prepare` gave
    reply,  ///< of a worker
    ending, ///< of the server: how the worker ended
    again,  ///< of the server: the worker ended, and an earlier job may be at fault
};

struct frame_head {
    frame_kind kind{};
    std::uint64_t size{};
};

/// @return  false: the other side has closed the socket
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

/// @return  false: the other side has closed the socket, or the socket's time limit passed
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

/// @return  false, as receive_bytes()
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
/// @return  false: the other side has closed the control socket
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
