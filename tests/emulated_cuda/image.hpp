// tests/emulated_cuda/image.hpp - what a kernel's shared object says of itself.
// SPDX-License-Identifier: MIT
//
// An image is the text "attune-emulated\n<path of the object>\n<symbol>\n". The object exports
//   <symbol>                          void(void** arguments): one thread
//   attune_emulated_place             where it looks for its thread
//   attune_emulated_machine           and for the machine
//   attune_emulated_resources         registers, spill, stack bytes, most threads, architecture
//   attune_emulated_argument_bytes    how many, then the size of each
// Its thread_local storage is the static shared memory of a block.
#pragma once

#include <cstddef>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

namespace attune_emulated {

inline constexpr std::string_view image_mark = "attune-emulated\n";
inline constexpr char const* kernel_symbol = "attune_emulated_kernel";

struct image_name {
    std::string path, symbol; ///< both empty: it is no such image
};

[[nodiscard]] inline image_name parse_image(std::string_view image)
{
    if (!image.starts_with(image_mark)) return {};
    image.remove_prefix(image_mark.size());
    std::size_t const line = image.find('\n');
    if (line == std::string_view::npos) return {};
    std::string_view const rest = image.substr(line + 1);
    return {std::string(image.substr(0, line)), std::string(rest.substr(0, rest.find('\n')))};
}

[[nodiscard]] inline std::string image_text(std::string const& path)
{
    return std::string(image_mark) + path + '\n' + kernel_symbol + '\n';
}

struct object_resources {
    long long registers = 0, spill_bytes = 0, stack_bytes = 0, most_threads = 0, architecture = 0;
    std::size_t static_shared_bytes = 0;
    std::vector<std::size_t> argument_bytes{};
};

namespace detail {

struct tls_search {
    std::size_t object = 0; ///< where it was loaded
    std::size_t bytes = 0;
};

inline int find_tls(dl_phdr_info* info, std::size_t, void* data)
{
    auto& search = *static_cast<tls_search*>(data);
    if (info->dlpi_addr != search.object) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i)
        if (info->dlpi_phdr[i].p_type == PT_TLS) search.bytes = info->dlpi_phdr[i].p_memsz;
    return 1;
}

} // namespace detail

/// @param object  dlopen's handle of a kernel's object
[[nodiscard]] inline object_resources resources_of(void* object)
{
    object_resources out;
    if (auto const* const r =
            static_cast<long long const*>(::dlsym(object, "attune_emulated_resources"))) {
        out.registers = r[0];
        out.spill_bytes = r[1];
        out.stack_bytes = r[2];
        out.most_threads = r[3];
        out.architecture = r[4];
    }
    if (auto const* const sizes = static_cast<unsigned long long const*>(
            ::dlsym(object, "attune_emulated_argument_bytes")))
        out.argument_bytes.assign(sizes + 1, sizes + 1 + sizes[0]);
    link_map* map = nullptr;
    if (::dlinfo(object, RTLD_DI_LINKMAP, &map) == 0) {
        detail::tls_search search{map->l_addr, 0};
        ::dl_iterate_phdr(detail::find_tls, &search);
        out.static_shared_bytes = search.bytes;
    }
    return out;
}

} // namespace attune_emulated
