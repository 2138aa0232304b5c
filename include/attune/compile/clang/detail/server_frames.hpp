// attune/compile/clang/detail/server_frames.hpp - what a program and its compile server write to each other.
// SPDX-License-Identifier: MIT
//
// The control socket (SOCK_SEQPACKET) carries one job_order for each job, with the job's own socket
// (SOCK_STREAM). On that, the program writes three frames: the surroundings, the job, what is given
// with it. The job's process answers with a frame `reply`, or the server with a frame `ending` when
// that process died. Sockets, because a limit on the size of files (ulimit -f) does not apply to
// them.
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
    double limit_s{}; ///< wall seconds after which the server ends the job
};

/// Ends each reply, because the process of a job may be killed while it writes.
inline constexpr std::string_view reply_end{"\0attune-reply-whole\0", 20};

enum class frame_kind : std::uint64_t { input = 1, reply, ending };

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

/// Sends a job_order with a socket.  @return  0, or an errno
[[nodiscard]] inline int send_order(int control, job_order order, int socket)
{
    iovec part{&order, sizeof order};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &socket, sizeof socket);
    for (;;) {
        if (::sendmsg(control, &message, MSG_NOSIGNAL) >= 0) return 0;
        if (errno != EINTR) return errno;
    }
}

/// @param socket  the job's socket; -1: none came
/// @return  false: the program has ended
[[nodiscard]] inline bool receive_order(int control, job_order& order, int& socket)
{
    iovec part{&order, sizeof order};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    socket = -1;
    ssize_t got = 0;
    do
        got = ::recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    cmsghdr const* const rights = CMSG_FIRSTHDR(&message);
    if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS)
        std::memcpy(&socket, CMSG_DATA(rights), sizeof socket);
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
