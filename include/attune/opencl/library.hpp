// attune/opencl/library.hpp - the OpenCL library, opened at run time, and images of its programs.
// SPDX-License-Identifier: MIT
//
// OpenCL's binary does not state the sizes of arguments. An image is read from its address alone.
// Source   Khronos OpenCL 3.0 specification; no OpenCL header is needed
// Source   CL/cl.h of the Khronos headers; these numbers are part of the ABI and do not change
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

/// Types of the ABI. Handles are opaque.
using result = std::int32_t; ///< 0: success; errors are negative
using bits = std::uint64_t;
using platform = struct platform_object*;
using device = struct device_object*;
using context = struct context_object*;
using queue = struct queue_object*;
using memory = struct memory_object*;
using program = struct program_object*;
using kernel = struct kernel_object*;
using event = struct event_object*;

/// Numbers of CL/cl.h, by the function that takes them.
namespace of_platform {
enum : unsigned { version = 0x0901, name = 0x0902 };
} // namespace of_platform
namespace of_device {
enum : unsigned {
    type = 0x1000,
    compute_units = 0x1002,
    work_item_dimensions = 0x1003,
    work_group_size = 0x1004,
    work_item_sizes = 0x1005,
    largest_allocation = 0x1010,
    base_alignment = 0x1019, ///< in bits
    cache_bytes = 0x101E,
    global_bytes = 0x101F,
    local_bytes = 0x1023,
    is_available = 0x1027,
    name = 0x102B,
    driver_version = 0x102D,
    version = 0x102F,
    c_version = 0x103D,
    il_version = 0x105B, ///< "SPIR-V_1.2"; empty: none
};
} // namespace of_device
namespace of_program {
enum : unsigned {
    binary_sizes = 0x1165,
    binaries = 0x1166,
    build_log = 0x1183,
};
} // namespace of_program
namespace of_kernel {
enum : unsigned { argument_count = 0x1191 };
} // namespace of_kernel
namespace of_argument {
enum : unsigned { address_space = 0x1196, access = 0x1197, type_name = 0x1198, name = 0x119A };
enum : unsigned { global = 0x119B, local = 0x119C, constant = 0x119D, by_value = 0x119E };
enum : unsigned { read_only = 0x11A0 };
} // namespace of_argument
namespace of_work_group {
enum : unsigned {
    most_items = 0x11B0,
    declared_size = 0x11B1,
    local_bytes = 0x11B2,
    private_bytes = 0x11B4,
};
} // namespace of_work_group
namespace of_memory {
enum : unsigned {
    type = 0x1100,
    bytes = 0x1102,
    context = 0x1106,
    parent = 0x1107,
    offset = 0x1108,
};
enum : unsigned { buffer = 0x10F0, picture = 0x10F1 }; ///< types; a picture is a 2-D image
} // namespace of_memory
namespace of_picture {
enum : unsigned { format = 0x1110, pixel_bytes = 0x1111, width = 0x1114, height = 0x1115 };
} // namespace of_picture
namespace of_event {
enum : unsigned { status = 0x11D3, started = 0x1282, ended = 0x1283 };
} // namespace of_event
namespace of_queue {
enum : unsigned { properties = 0x1093, shares = 0x1092 };
} // namespace of_queue
namespace of_context {
enum : unsigned { devices = 0x1081 };
} // namespace of_context
namespace flag {
enum : bits {
    all_devices = 0xFFFFFFFF,
    read_write = 1,
    read_only = 4,
    use_host_memory = 8,
    profiling = 2,
    context_platform = 0x1084,
};
enum : unsigned { sub_buffer_region = 0x1220 };
} // namespace flag

/// Results that attune handles. text_of() names others too.
enum : result {
    success = 0,
    device_not_found = -1,
    build_failed = -11,
    no_memory_for_object = -4,
    out_of_resources = -5,
    out_of_host_memory = -6,
    invalid_value = -30,
    invalid_memory = -38,
    invalid_buffer_size = -61,
    misaligned_sub_buffer = -13,
    no_platform = -1001,
};

struct sub_buffer {
    std::size_t offset;
    std::size_t bytes;
};

/// CL/cl.h's cl_image_format and cl_image_desc.
struct picture_format {
    std::uint32_t channels = 0; ///< CL_RGBA
    std::uint32_t type = 0;     ///< CL_FLOAT

    friend bool operator==(picture_format const&, picture_format const&) = default;
};
struct picture_extents {
    std::uint32_t type = of_memory::picture;
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t depth = 0;
    std::size_t count = 0;
    std::size_t row_bytes = 0;
    std::size_t slice_bytes = 0;
    std::uint32_t mip_levels = 0;
    std::uint32_t samples = 0;
    memory from = nullptr;
};

/// The begin of a 2-D image in the form of an array, before its rows without gaps. An image has
/// this form in every copy: those of a tuning, of a worker and of a captured call.
struct picture_head {
    static constexpr std::uint64_t own_mark = 0x31'65'67'61'6d'69'6c'63; ///< "climage1"

    std::uint64_t mark = own_mark;
    std::uint64_t width = 0; ///< pixels
    std::uint64_t height = 0;
    std::uint64_t pixel_bytes = 0;
    picture_format format{};
    std::uint64_t unused[3] = {};

    [[nodiscard]] std::size_t all_bytes() const noexcept
    {
        return sizeof(picture_head) + width * height * pixel_bytes;
    }
    friend bool operator==(picture_head const&, picture_head const&) = default;
};
static_assert(sizeof(picture_head) == 64);

/// The functions that attune calls, named as in the specification without "cl". Every pointer is
/// set, except optional ones that the library lacks.
struct library {
    result (*get_platform_ids)(unsigned room, platform* out, unsigned* count);
    result (*get_platform_info)(platform, unsigned what, std::size_t room, void* out,
                                std::size_t* bytes);
    result (*get_device_ids)(platform, bits type, unsigned room, device* out, unsigned* count);
    result (*get_device_info)(device, unsigned what, std::size_t room, void* out,
                              std::size_t* bytes);
    context (*create_context)(std::intptr_t const* properties, unsigned count, device const*,
                              void (*notify)(char const*, void const*, std::size_t, void*),
                              void* own, result* said);
    result (*release_context)(context);
    result (*retain_context)(context);
    queue (*create_queue)(context, device, bits const* properties, result* said); ///< optional: 2.0
    queue (*create_queue_1)(context, device, bits properties, result* said);      ///< of 1.x
    result (*release_queue)(queue);
    result (*retain_queue)(queue);
    result (*get_context_info)(context, unsigned what, std::size_t room, void* out,
                               std::size_t* bytes);
    result (*get_queue_info)(queue, unsigned what, std::size_t room, void* out, std::size_t* bytes);

    program (*create_program_with_source)(context, unsigned count, char const** texts,
                                          std::size_t const* sizes, result* said);
    program (*create_program_with_binary)(context, unsigned count, device const*,
                                          std::size_t const* sizes, unsigned char const** binaries,
                                          result* of_each, result* said);
    program (*create_program_with_il)(context, void const* module, std::size_t bytes,
                                      result* said); ///< optional: 2.1
    result (*set_constant)(program, unsigned id, std::size_t bytes,
                           void const* value); ///< optional: 2.2
    result (*build_program)(program, unsigned count, device const*, char const* options,
                            void (*notify)(program, void*), void* own);
    result (*get_program_info)(program, unsigned what, std::size_t room, void* out,
                               std::size_t* bytes);
    result (*get_program_build_info)(program, device, unsigned what, std::size_t room, void* out,
                                     std::size_t* bytes);
    result (*release_program)(program);
    kernel (*create_kernel)(program, char const* name, result* said);
    result (*release_kernel)(kernel);
    result (*get_kernel_info)(kernel, unsigned what, std::size_t room, void* out,
                              std::size_t* bytes);
    result (*get_kernel_arg_info)(kernel, unsigned index, unsigned what, std::size_t room,
                                  void* out, std::size_t* bytes);
    result (*get_kernel_work_group_info)(kernel, device, unsigned what, std::size_t room, void* out,
                                         std::size_t* bytes);
    result (*set_kernel_arg)(kernel, unsigned index, std::size_t bytes, void const* value);

    memory (*create_buffer)(context, bits flags, std::size_t bytes, void* host, result* said);
    memory (*create_sub_buffer)(memory, bits flags, unsigned kind, void const* region,
                                result* said);
    memory (*create_picture)(context, bits flags, picture_format const*, picture_extents const*,
                             void* host, result* said);
    result (*get_picture_info)(memory, unsigned what, std::size_t room, void* out,
                               std::size_t* bytes);
    result (*retain_memory)(memory);
    result (*release_memory)(memory);
    result (*get_memory_info)(memory, unsigned what, std::size_t room, void* out,
                              std::size_t* bytes);

    result (*enqueue_read)(queue, memory, unsigned blocking, std::size_t offset, std::size_t bytes,
                           void* to, unsigned waits, event const*, event* out);
    result (*enqueue_write)(queue, memory, unsigned blocking, std::size_t offset, std::size_t bytes,
                            void const* from, unsigned waits, event const*, event* out);
    result (*enqueue_copy)(queue, memory from, memory to, std::size_t from_offset,
                           std::size_t to_offset, std::size_t bytes, unsigned waits, event const*,
                           event* out);
    result (*enqueue_read_picture)(queue, memory, unsigned blocking, std::size_t const* from,
                                   std::size_t const* extent, std::size_t row_bytes,
                                   std::size_t slice_bytes, void* to, unsigned waits, event const*,
                                   event* out);
    result (*enqueue_picture_to_buffer)(queue, memory from, memory to, std::size_t const* begin,
                                        std::size_t const* extent, std::size_t offset,
                                        unsigned waits, event const*, event* out);
    result (*enqueue_buffer_to_picture)(queue, memory from, memory to, std::size_t offset,
                                        std::size_t const* begin, std::size_t const* extent,
                                        unsigned waits, event const*, event* out);
    result (*enqueue_fill)(queue, memory, void const* pattern, std::size_t pattern_bytes,
                           std::size_t offset, std::size_t bytes, unsigned waits, event const*,
                           event* out);
    result (*enqueue_kernel)(queue, kernel, unsigned dimensions, std::size_t const* offset,
                             std::size_t const* global, std::size_t const* local, unsigned waits,
                             event const*, event* out);
    result (*enqueue_marker)(queue, unsigned waits, event const*, event* out);
    result (*flush)(queue);
    result (*finish)(queue);
    result (*get_event_info)(event, unsigned what, std::size_t room, void* out, std::size_t* bytes);
    result (*get_event_profiling_info)(event, unsigned what, std::size_t room, void* out,
                                       std::size_t* bytes);
    result (*retain_event)(event);
    result (*release_event)(event);

    std::string path; ///< path of the library
};

/// Opens the library. It is never closed, because the threads of a platform may run.
/// @param path  of libOpenCL; empty: $ATTUNE_OPENCL, else libOpenCL.so.1 on the loader's path
/// Errors   attune::error: no library (with the loader's message), a missing function
[[nodiscard]] std::shared_ptr<library const> open_library(std::string const& path = {});

/// "CL_INVALID_WORK_GROUP_SIZE"; "OpenCL error -9999" for others.
[[nodiscard]] std::string text_of(result got);

/// Calls a function that returns information of any length.
/// @param ask  (room, out, bytes) -> result
/// @return  the bytes without a final zero; empty after an error
template <class Ask>
[[nodiscard]] std::string text_by(Ask const& ask)
{
    std::size_t bytes = 0;
    if (ask(0, nullptr, &bytes) != success || bytes == 0) return {};
    std::string out(bytes, '\0');
    if (ask(out.size(), out.data(), nullptr) != success) return {};
    while (!out.empty() && out.back() == '\0')
        out.pop_back();
    return out;
}

/// A value of fixed size; `otherwise` after an error.
template <class T, class Ask>
[[nodiscard]] T value_by(Ask const& ask, T otherwise = {})
{
    T out{};
    return ask(sizeof out, &out, nullptr) == success ? out : otherwise;
}

[[nodiscard]] inline std::string text_of_device(library const& of, device at, unsigned what)
{
    return text_by([&](std::size_t room, void* out, std::size_t* bytes) {
        return of.get_device_info(at, what, room, out, bytes);
    });
}

template <class T>
[[nodiscard]] T number_of_device(library const& of, device at, unsigned what, T otherwise = {})
{
    return value_by<T>(
        [&](std::size_t room, void* out, std::size_t* bytes) {
            return of.get_device_info(at, what, room, out, bytes);
        },
        otherwise);
}

/// A device with its platform. The place in devices_of() is its number.
struct found_device {
    platform of = nullptr;
    device at = nullptr;
    std::string platform_name{};    ///< "Portable Computing Language"
    std::string platform_version{}; ///< "OpenCL 3.0 PoCL 3.1 ..."
    std::string name{};
    std::string driver_version{};
};

/// All available devices of all platforms, in the order of the library.
[[nodiscard]] std::vector<found_device> devices_of(library const& of);

enum class argument_kind : std::uint32_t {
    value,   ///< bytes
    array,   ///< `global` or `constant`
    local,   ///< memory of a work-group: the launch's dynamic bytes
    picture, ///< a 2-D image that the kernel only reads
};

struct argument_form {
    argument_kind kind = argument_kind::value;
    std::uint32_t bytes = 0; ///< of a value

    friend bool operator==(argument_form const&, argument_form const&) = default;
};

struct code_image {
    std::string options{}; ///< of the build
    std::vector<argument_form> arguments{};
    std::array<std::uint64_t, 3> declared_size{}; ///< reqd_work_group_size; 0, 0, 0: none
    std::uint64_t start_limit_ms = 60'000; ///< wall time to make code for a size of work-groups
    std::string binary{};                  ///< of CL_PROGRAM_BINARIES, or the program's text
    bool is_text = false;                  ///< `binary` is OpenCL C

    friend bool operator==(code_image const&, code_image const&) = default;
};

inline constexpr std::string_view image_mark = "attune OpenCL 3\n";

/// The image as one text: the mark, its own size, then the members with their sizes.
[[nodiscard]] inline std::string text_of_image(code_image const& image)
{
    std::string out(image_mark);
    auto const put = [&out](std::uint64_t number) {
        out.append(reinterpret_cast<char const*>(&number), sizeof number);
    };
    put(0);
    put(image.options.size());
    put(image.arguments.size());
    put(image.binary.size());
    for (std::uint64_t const one : image.declared_size)
        put(one);
    put(image.start_limit_ms);
    put(image.is_text ? 1 : 0);
    out += image.options;
    for (argument_form const& one : image.arguments)
        put(std::uint64_t{static_cast<std::uint32_t>(one.kind)} << 32 | one.bytes);
    out += image.binary;
    std::uint64_t const all = out.size();
    std::memcpy(out.data() + image_mark.size(), &all, sizeof all);
    return out;
}

/// @param at  the text of an image  @return  empty: it is no image, or a damaged one
[[nodiscard]] inline std::optional<code_image> image_at(void const* at)
{
    char const* const begin = static_cast<char const*>(at);
    if (std::strncmp(begin, image_mark.data(), image_mark.size()) != 0) return {};
    std::uint64_t numbers[9] = {};
    std::memcpy(numbers, begin + image_mark.size(), sizeof numbers);
    std::size_t const head = image_mark.size() + sizeof numbers;
    auto const [all, options, arguments, binary, x, y, z, start_limit_ms, is_text] = numbers;
    constexpr std::uint64_t most = std::uint64_t{1} << 40; // no sum below overflows
    if (options > most || arguments > most || binary > most || is_text > 1 ||
        all != head + options + arguments * sizeof(std::uint64_t) + binary)
        return {};
    code_image out;
    out.declared_size = {x, y, z};
    out.start_limit_ms = start_limit_ms;
    out.is_text = is_text == 1;
    char const* next = begin + head;
    out.options.assign(next, options);
    next += options;
    for (std::uint64_t i = 0; i < arguments; ++i, next += sizeof(std::uint64_t)) {
        std::uint64_t one = 0;
        std::memcpy(&one, next, sizeof one);
        if (one >> 32 > static_cast<std::uint32_t>(argument_kind::picture)) return {};
        out.arguments.push_back(
            {static_cast<argument_kind>(one >> 32), static_cast<std::uint32_t>(one)});
    }
    out.binary.assign(next, binary);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl

#ifdef ATTUNE_HEADER_ONLY
#include <attune/opencl/library.ipp>
#endif
