// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one {@link FailureSite} of this JVM. */
final class OnFailureSite implements ParameterResolver {
    @Override
    public boolean supportsParameter(
            final ParameterContext parameter, final ExtensionContext context) {
        return parameter.getParameter().getType() == FailureSite.class;
    }

    @Override
    public Object resolveParameter(
            final ParameterContext parameter, final ExtensionContext context) {
        return FailureSite.ofThisJvm();
    }
}
