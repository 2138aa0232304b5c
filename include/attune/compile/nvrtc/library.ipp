// attune/compile/nvrtc/library.ipp - searches for libnvrtc, and reads its supported architectures.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
#pragma once

#include <attune/compile/nvrtc/library.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/library_functions.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace attune::inline ATTUNE_ABI::detail::nvrtc {

struct library_search {
    std::shared_ptr<library> found{};
    std::string tried{};   ///< one line per place
    std::string too_new{}; ///< version of the last library that was newer than the driver: "13.0"
    std::set<std::string> seen{};
};

inline void bind_functions(library_functions& from, library& to)
{
    from.need("nvrtcGetErrorString", to.get_error_string);
    from.need("nvrtcVersion", to.get_version);
    from.need("nvrtcGetNumSupportedArchs", to.get_num_supported_archs);
    from.need("nvrtcGetSupportedArchs", to.get_supported_archs);
    from.need("nvrtcCreateProgram", to.create_program);
    from.need("nvrtcDestroyProgram", to.destroy_program);
    from.need("nvrtcAddNameExpression", to.add_name_expression);
    from.need("nvrtcCompileProgram", to.compile_program);
    from.need("nvrtcGetLoweredName", to.get_lowered_name);
    from.need("nvrtcGetCUBINSize", to.get_cubin_size);
    from.need("nvrtcGetCUBIN", to.get_cubin);
    from.need("nvrtcGetPTXSize", to.get_ptx_size);
    from.need("nvrtcGetPTX", to.get_ptx);
    from.need("nvrtcGetProgramLogSize", to.get_program_log_size);
    from.need("nvrtcGetProgramLog", to.get_program_log);
    from.wish("nvrtcGetPCHCreateStatus", to.get_pch_create_status);
    from.wish("nvrtcSetFlowCallback", to.set_flow_callback);
}

[[nodiscard]] inline std::string without_links(std::string const& path)
{
    std::error_code no_throw;
    std::filesystem::path const real = std::filesystem::canonical(path, no_throw);
    return no_throw ? path : real.string();
}

/// <toolkit>/lib64/libnvrtc.so gives <toolkit>/include and, since 13, <toolkit>/include/cccl.
/// Leaves out an include folder with the C library's headers, which are not for devices.
[[nodiscard]] inline std::vector<std::string> toolkit_includes(std::string const& library_path)
{
    namespace fs = std::filesystem;
    std::error_code no_throw;
    for (fs::path folder = fs::path(library_path).parent_path(); folder.has_relative_path();) {
        folder = folder.parent_path();
        fs::path const include = folder / "include";
        if (fs::exists(include / "stdio.h", no_throw)) return {};
        if (fs::exists(include / "cuda_fp16.h", no_throw)) {
            std::vector<std::string> found{include.string()};
            if (fs::is_directory(include / "cccl", no_throw))
                found.push_back((include / "cccl").string());
            return found;
        }
    }
    return {};
}

/// Tries to open a file, unless a library was found before.
inline void try_library(std::string const& name, int most_major, library_search& search)
{
    if (search.found || !search.seen.insert(name).second) return;
    auto const note = [&](std::string const& what) { search.tried += "\n    " + what; };
    library_functions from(name);
    if (!from.why_none().empty()) return note(from.why_none());
    auto made = std::make_shared<library>();
    bind_functions(from, *made);
    if (from.missing() != nullptr) {
        from.close();
        return note(name + ": it has no function " + from.missing());
    }
    bool const answers = made->get_version(&made->major, &made->minor) == success;
    std::string const version = made->version();
    if (!answers || made->major < 12) {
        from.close();
        return note(name + ": it is NVRTC " + version + ", and attune needs 12 or later");
    }
    if (most_major > 0 && made->major > most_major) {
        from.close();
        search.too_new = version;
        return note(name + ": it is NVRTC " + version + ", newer than the driver, which serves " +
                    "CUDA " + std::to_string(most_major));
    }
    int count = 0;
    (void)made->get_num_supported_archs(&count);
    made->architectures.resize(static_cast<std::size_t>(std::max(count, 0)));
    if (!made->architectures.empty()) (void)made->get_supported_archs(made->architectures.data());
    std::sort(made->architectures.begin(), made->architectures.end());
    made->path = without_links(from.path());
    made->include_dirs = toolkit_includes(made->path);
    search.found = std::move(made);
}

ATTUNE_INLINE std::shared_ptr<library const> open_library(std::string const& path, int most_major)
{
    library_search search;
    std::string const named =
        path.empty() ? attune::detail::environment_variable("ATTUNE_NVRTC") : path;
    std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    if (most_major == 12) std::swap(names[0], names[1]);
    if (!named.empty()) {
        try_library(named, most_major, search);
    } else {
        for (std::string const& name : names)
            try_library(name, most_major, search);
        for (std::string const& toolkit :
             {attune::detail::environment_variable("CUDA_PATH"),
              attune::detail::environment_variable("CUDA_HOME"), std::string("/usr/local/cuda")})
            for (char const* const folder : {"/lib64/", "/lib/"})
                for (std::string const& name : names) {
                    std::error_code no_throw;
                    std::string const file = toolkit + folder + name;
                    if (!toolkit.empty() && std::filesystem::exists(file, no_throw))
                        try_library(file, most_major, search);
                    else if (!toolkit.empty() && name == names.back())
                        search.tried += "\n    " + toolkit + folder + ": no libnvrtc there";
                }
    }
    if (search.found) return search.found;
    if (!search.too_new.empty())
        throw error("the driver is older than the CUDA toolkit: it serves CUDA " +
                        std::to_string(most_major) + ", and code of NVRTC " + search.too_new +
                        " needs a driver of CUDA " +
                        search.too_new.substr(0, search.too_new.find('.')) + " or later",
                    "tried" + search.tried,
                    "update the driver, or install NVRTC " + std::to_string(most_major) +
                        " (apt install cuda-nvrtc-12-9, pip install nvidia-cuda-nvrtc-cu12) and "
                        "name its libnvrtc.so in ATTUNE_NVRTC");
    throw error(named.empty() ? "NVIDIA's runtime compiler libnvrtc was not found"
                              : "NVIDIA's runtime compiler '" + named + "' cannot be used",
                "tried" + search.tried,
                named.empty() ? "install the CUDA toolkit 12 or 13 or its NVRTC alone (apt install "
                                "cuda-nvrtc-13-0, pip install nvidia-cuda-nvrtc), or set "
                                "ATTUNE_NVRTC to the path of libnvrtc.so"
                : path.empty()
                    ? "set ATTUNE_NVRTC to the path of a libnvrtc.so, or unset it"
                    : "give the path of a libnvrtc.so in attune::nvrtc_options::library");
}

} // namespace attune::inline ATTUNE_ABI::detail::nvrtc
