// attune/compile/nvrtc.ipp - the state and the work of an nvrtc_compiler.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/compile/nvrtc/detail/includes.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string architecture_name(int architecture)
{
    return "sm_" + std::to_string(architecture);
}

/// The first plain flag that selects another architecture; empty if there is none. "sm_90a" and
/// "sm_90f" count as sm_90.
[[nodiscard]] inline std::string flag_of_other_architecture(std::vector<std::string> const& flags,
                                                            std::string const& architecture)
{
    for (std::string const& flag : flags)
        for (std::string_view const start : {"--gpu-architecture=", "-arch="})
            if (flag.starts_with(start)) {
                std::string const asked = flag.substr(start.size());
                if (asked != architecture && asked != architecture + 'a' &&
                    asked != architecture + 'f')
                    return flag;
            }
    return {};
}

/// The failure of a run. If static shared memory exceeds the limit, NVRTC reports no error, so the
/// numbers of ptxas are checked.
[[nodiscard]] inline failure nvrtc_failure(nvrtc_reply const& reply, char const* result,
                                           kernel_source const& kernel, compile_request const& v,
                                           device_limits const& limits)
{
    failure f = device_compile_failure(reply.log, result, kernel, v);
    std::string_view const sign = "Unresolved extern function '";
    if (std::size_t const at = reply.log.find(sign); at != reply.log.npos) {
        std::string const rest = reply.log.substr(at + sign.size());
        f.stage = failure_stage::load;
        f.reason = "undefined symbol: " + demangled(rest.substr(0, rest.find('\''))) +
                   " (a kernel for a device is compiled alone: define it in " + kernel.path +
                   " or in a header)";
        f.log = f.reason + '\n' + f.log;
        return f;
    }
    std::int64_t const shared = numbers_before(reply.log, " bytes smem");
    if (first_device_error(f.log).empty() && shared > limits.shared_bytes_per_block) {
        f.reason = "the kernel declares " + std::to_string(shared) +
                   " bytes of static shared memory, and a block on " + limits.name + " can have " +
                   std::to_string(limits.shared_bytes_per_block) +
                   "; more has to be dynamic (extern __shared__)";
        f.log = f.reason + '\n' + f.log;
    }
    return f;
}

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

    /// A callable, or the reason why the device cannot launch it.
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

    /// The code from the cache; empty if it is not there.
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
    /// Runs NVRTC, with precompiled headers if possible.
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
    // NVRTC does not check headers for changes, and 12.9 stores one block in a folder for all
    // kernels with the same file name. Each block therefore has a separate folder.
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

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE nvrtc_compiler::nvrtc_compiler(nvrtc_options options)
    : session_(std::make_shared<detail::nvrtc_session>(std::move(options)))
{
}

ATTUNE_INLINE compile_result nvrtc_compiler::compile(kernel_source const& kernel,
                                                     compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->compile(kernel, v);
}

ATTUNE_INLINE std::string nvrtc_compiler::identity() const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->identity;
}

ATTUNE_INLINE cuda_target const& nvrtc_compiler::target() const
{
    detail::own_float_environment const numbers;
    session_->find_device();
    return session_->target;
}

ATTUNE_INLINE std::string nvrtc_compiler::notice() const
{
    detail::own_float_environment const numbers;
    session_->open();
    std::string text;
    if (!session_->target.can_run())
        text = "compiles for " + detail::architecture_name(session_->target.limits.architecture) +
               " and runs nothing: " + session_->target.why_no_device;
    if (session_->options.precompile_headers && !session_->library->has_precompiled_headers())
        text += (text.empty() ? "" : "; ") + ("NVRTC " + session_->library->version()) +
                " parses the headers for every variant, 12.8 and later do it once";
    return text;
}

ATTUNE_INLINE std::string nvrtc_compiler::missing() const
{
    detail::own_float_environment const numbers;
    std::string text;
    try {
        session_->open();
        if (!session_->target.can_run()) text = session_->target.why_no_device;
    } catch (error const& thrown) {
        text = thrown.what_alone();
        if (!thrown.next().empty()) text += "; " + thrown.next();
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

ATTUNE_INLINE std::optional<callable> nvrtc_compiler::find_winner(kernel_source const& kernel,
                                                                  compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    std::optional<compile_result> found = session_->kept(kernel, v, false);
    if (!found || !std::holds_alternative<callable>(*found)) return {};
    return std::get<callable>(std::move(*found));
}

ATTUNE_INLINE bool nvrtc_compiler::keep_winner(kernel_source const& kernel,
                                               compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->cache.look(session_->key_of(kernel, v)).has_value();
}

ATTUNE_INLINE cache_statistics nvrtc_compiler::statistics() const
{
    return session_->cache.statistics();
}

ATTUNE_INLINE header_statistics nvrtc_compiler::headers() const
{
    return session_->headers.counts();
}

} // namespace attune::inline ATTUNE_ABI
