// attune/compile/nvrtc/detail/session.hpp - the state and the work of an nvrtc_compiler.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/cache/request_key.hpp>
#include <attune/compile/callable.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/nvrtc/detail/flags.hpp>
#include <attune/compile/nvrtc/detail/headers.hpp>
#include <attune/compile/nvrtc/detail/includes.hpp>
#include <attune/compile/nvrtc/detail/outcome.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/nvrtc/options.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/occupancy.hpp>

#include <chrono>
#include <mutex>

namespace attune::inline ATTUNE_ABI::detail {

/// The state that nvrtc_compiler and its copies share.
class nvrtc_session {
public:
    explicit nvrtc_session(nvrtc_options given)
        : options(std::move(given))
        , cache(options.cache)
    {
    }

    /// Finds the device, once. Needs no NVRTC.
    /// Errors   as find_cuda_target()
    void find_device()
    {
        std::lock_guard const lock(mutex);
        find_device_alone();
    }
    /// Finds the device and opens the library, once.
    /// Errors   as compile()
    void open()
    {
        std::lock_guard const lock(mutex);
        if (library) return;
        find_device_alone();
        cuda_target const& found = target;
        int const architecture = found.limits.architecture;
        auto opened =
            nvrtc::open_library(options.library, found.driver ? found.driver->version / 1000 : 0);
        if (!opened->makes_code_for(architecture)) {
            std::string known;
            for (int const one : opened->architectures)
                known += (known.empty() ? "" : ", ") + architecture_name(one);
            throw error(
                "NVRTC " + opened->version() + " makes no code for " +
                    architecture_name(architecture) + " (" + found.limits.name + "); it knows " +
                    known,
                opened->path,
                opened->architectures.empty() || architecture > opened->architectures.back()
                    ? "install a newer CUDA toolkit, or name its libnvrtc.so in ATTUNE_NVRTC"
                    : "install an older CUDA toolkit (12 still knows sm_50 to sm_72), or "
                      "name its libnvrtc.so in ATTUNE_NVRTC");
        }
        identity = "nvrtc " + opened->version() + ' ' + architecture_name(architecture) +
                   joined(options.flags);
        library = std::move(opened);
    }

    /// @pre  `mutex` is held
    void find_device_alone()
    {
        if (has_target) return;
        target = find_cuda_target(options.device, options.architecture, options.driver);
        has_target = true;
    }

    [[nodiscard]] bool precompiles() const
    {
        return options.precompile_headers && library->has_precompiled_headers();
    }
    /// The flags of options, kernel and variant, as plain_flags() returns them.
    [[nodiscard]] std::vector<std::string> flags_of(kernel_source const& kernel,
                                                    compile_request const& v) const
    {
        std::vector<std::string> flags = options.flags;
        flags.insert(flags.end(), kernel.flags.begin(), kernel.flags.end());
        flags.insert(flags.end(), v.flags.begin(), v.flags.end());
        return plain_flags(flags);
    }
    [[nodiscard]] std::string key_of(kernel_source const& kernel, compile_request const& v) const
    {
        kernel_source all = kernel;
        all.flags.insert(all.flags.begin(), options.flags.begin(), options.flags.end());
        return request_key("nvrtc device code",
                           identity + " headers " + place_of(library->include_dirs), all, v);
    }
    [[nodiscard]] static std::string place_of(std::vector<std::string> const& folders)
    {
        return joined(folders);
    }

    /// A callable, or why the device cannot launch it.
    [[nodiscard]] compile_result finish(device_code code, kernel_source const& kernel,
                                        compile_request const& v,
                                        std::chrono::steady_clock::time_point start,
                                        bool from_cache) const
    {
        if (std::string objection = launch_objection(target.limits, code.resources, v.launch);
            !objection.empty())
            return failure{failure_stage::launch, std::move(objection), {}};
        callable made = callable_of_device({std::move(code), v.launch});
        made.compiler = identity + joined(kernel.flags) + joined(v.flags);
        made.compile_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        made.from_cache = from_cache;
        return made;
    }

    /// The code from the cache; empty when it is not there.
    [[nodiscard]] std::optional<compile_result> kept(kernel_source const& kernel,
                                                     compile_request const& v, bool counted) const
    {
        if (options.keep_ptx) return {};
        auto const start = std::chrono::steady_clock::now();
        std::string const key = key_of(kernel, v);
        auto const found = counted ? cache.find(key) : cache.look(key);
        if (!found) return {};
        std::optional<device_code> code = parse_kept_device_code(found->bytes);
        if (!code) return {};
        return finish(std::move(*code), kernel, v, start, true);
    }

    [[nodiscard]] compile_result compile(kernel_source const& kernel, compile_request const& v);
    /// Runs NVRTC, with precompiled headers when possible.
    [[nodiscard]] nvrtc_reply run(kernel_source const& kernel, compile_request const& v,
                                  include_scanner::places const& where, include_closure const& all);
    void keep(std::string const& key, device_code const& code, include_closure const& files,
              std::int64_t began_ns) const;

    nvrtc_options options;
    object_cache cache;
    include_scanner scanner{};
    std::mutex mutex{};
    std::shared_ptr<nvrtc::library const> library{}; ///< null until open()
    cuda_target target{};
    bool has_target = false;
    std::string identity{};
    parsed_device_headers headers{};
};

inline nvrtc_reply nvrtc_session::run(kernel_source const& kernel, compile_request const& v,
                                      include_scanner::places const& where,
                                      include_closure const& all)
{
    std::string const& folder = where.folders.front();
    header_prefix const prefix = prefix_of(kernel.text, v.macros, [&](std::string const& name) {
        include_closure const one = scanner.closure({name}, folder, where);
        return !one.is_known || scanner.any_mentions(one, v.macros);
    });
    nvrtc_request asked;
    asked.flags = {"--gpu-architecture=" + architecture_name(target.limits.architecture),
                   "--ptxas-options=-v", variant_flag};
    if (library->major > 12 || library->minor >= 9) asked.flags.emplace_back("--no-cache");
    std::vector<std::string> const flags = flags_of(kernel, v);
    asked.flags.insert(asked.flags.end(), flags.begin(), flags.end());
    for (std::string const& dir : kernel.include_dirs)
        asked.flags.push_back("--include-path=" + dir);
    for (std::string const& dir : library->include_dirs)
        asked.flags.push_back("--include-path=" + dir);
    asked.flags = last_of_each(asked.flags);

    std::string block;
    if (precompiles() && prefix.includes && all.is_known) {
        content_hash key;
        key.add(kernel.path).add(kernel.text.substr(0, prefix.end)).add(all.fingerprint);
        for (std::string const& flag : asked.flags)
            if (flag.find("maxrregcount=") == flag.npos) key.add(flag);
        block = headers.place_for(key.hex());
    }
    // NVRTC does not check whether a header has changed, and 12.9 stores one block for all kernels
    // with one file name in a folder: so every block has a folder of its own.
    if (!block.empty())
        asked.flags.insert(asked.flags.end(), {"--pch", "--pch-dir=" + block, "--pch-verbose=false",
                                               "--diag-suppress=20283"});
    asked.text = device_text(kernel, v, prefix, !block.empty());
    asked.name = kernel.path.empty() ? "kernel.cu" : kernel.path;
    asked.kernel = "::" + v.function;
    asked.limit_s = options.limit_s;
    asked.wants_ptx = options.keep_ptx;
    nvrtc_reply reply = run_nvrtc(*library, asked);
    if (block.empty()) return reply;
    headers.note(block, reply);
    return reply;
}

inline void nvrtc_session::keep(std::string const& key, device_code const& code,
                                include_closure const& files, std::int64_t began_ns) const
{
    cache_inputs inputs{{files.read.begin(), files.read.end()},
                        {files.missed.begin(), files.missed.end()},
                        {library->path},
                        began_ns};
    std::filesystem::path const path(library->path);
    std::string const builtins = "libnvrtc-builtins.so." + library->version();
    if (std::string const tool = (path.parent_path() / builtins).string(); stamp_of(tool))
        inputs.tools.push_back(tool);
    (void)cache.add(key, kept_device_code(code), inputs);
}

inline compile_result nvrtc_session::compile(kernel_source const& kernel, compile_request const& v)
{
    auto const start = std::chrono::steady_clock::now();
    if (v.result != "void")
        return failure{failure_stage::compile,
                       "attune: kernel '" + v.function + "' is declared in the program as " +
                           signature_text(v) + ", but a kernel for a device returns void",
                       {}};
    if (std::string objection = launch_objection(target.limits, code_resources{}, v.launch);
        !objection.empty())
        return failure{failure_stage::launch, std::move(objection), {}};
    if (std::optional<compile_result> found = kept(kernel, v, true)) return std::move(*found);

    std::string const architecture = architecture_name(target.limits.architecture);
    std::vector<std::string> const flags = flags_of(kernel, v);
    if (std::string const other = flag_of_other_architecture(flags, architecture); !other.empty())
        return failure{failure_stage::compile,
                       "the flag '" + other + "' asks for another architecture than " +
                           architecture + ", which is compiled for",
                       {}};
    std::int64_t const began_ns = system_clock_ns();
    auto const where = nvrtc_places(kernel, flags, library->include_dirs);
    std::vector<std::string> names = included_names(kernel.text);
    for (std::string& name : headers_of_flags(flags))
        names.push_back(std::move(name));
    include_closure const files = scanner.closure(names, where.folders.front(), where);

    nvrtc_reply reply = run(kernel, v, where, files);
    if (reply.timed_out)
        return failure{failure_stage::compile,
                       took_too_long(v.function, options.limit_s, "nvrtc_options"),
                       std::move(reply.log)};
    char const* const said = library->get_error_string(reply.result);
    if (reply.result != nvrtc::success) return nvrtc_failure(reply, said, kernel, v, target.limits);
    device_code code{std::move(reply.image), reply.entry, target.limits.architecture, {}, {}};
    std::optional<code_resources> const resources =
        resources_of_kernel(code.image, reply.log, code.entry);
    if (!resources)
        return failure{failure_stage::load,
                       "NVRTC made no code for kernel '" + v.function +
                           "'; flags that ask for PTX or LTO do that",
                       std::move(reply.log)};
    code.resources = *resources;
    code.ptx = std::move(reply.ptx);
    if (!options.keep_ptx && files.is_known && !tells_the_time(kernel.text))
        keep(key_of(kernel, v), code, files, began_ns);
    return finish(std::move(code), kernel, v, start, false);
}

} // namespace attune::inline ATTUNE_ABI::detail
