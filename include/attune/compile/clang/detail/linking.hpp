// attune/compile/clang/detail/linking.hpp - selects JITLink, and unmaps the code of removed objects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/JITLink/EHFrameSupport.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/Shared/WrapperFunctionUtils.h>
#include <llvm/Support/Error.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

#if LLVM_VERSION_MAJOR < 18

/// Registers unwind tables, and gives every object a deallocation action: LLVM 16 does not unmap an
/// object without one.
class unmapping_plugin final : public llvm::orc::EHFrameRegistrationPlugin {
public:
    using EHFrameRegistrationPlugin::EHFrameRegistrationPlugin;

    void modifyPassConfig(llvm::orc::MaterializationResponsibility& responsibility,
                          llvm::jitlink::LinkGraph& graph,
                          llvm::jitlink::PassConfiguration& passes) override
    {
        EHFrameRegistrationPlugin::modifyPassConfig(responsibility, graph, passes);
        passes.PrePrunePasses.emplace_back([](llvm::jitlink::LinkGraph& object) -> llvm::Error {
            namespace shared = llvm::orc::shared;
            auto nothing = shared::WrapperFunctionCall::Create<shared::SPSArgList<>>(
                llvm::orc::ExecutorAddr::fromPtr(&do_nothing));
            if (!nothing) return nothing.takeError();
            object.allocActions().push_back({{}, std::move(*nothing)});
            return llvm::Error::success();
        });
    }

private:
    static llvm::orc::shared::CWrapperFunctionResult do_nothing(char const*, std::size_t)
    {
        using llvm::orc::shared::WrapperFunction;
        return WrapperFunction<llvm::orc::shared::SPSError()>::handle(
                   nullptr, 0, []() -> llvm::Error { return llvm::Error::success(); })
            .release();
    }
};

/// Before LLVM 18 the default on x86-64 was RuntimeDyld.
inline void link_with_jitlink(llvm::orc::LLJITBuilder& builder)
{
    builder.setObjectLinkingLayerCreator(
        [](llvm::orc::ExecutionSession& session,
           llvm::Triple const&) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
            auto layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
            layer->addPlugin(std::make_unique<unmapping_plugin>(
                session, std::make_unique<llvm::jitlink::InProcessEHFrameRegistrar>()));
            return layer;
        });
}

#else

inline void link_with_jitlink(llvm::orc::LLJITBuilder&) {}

#endif

} // namespace attune::inline ATTUNE_ABI::detail
