// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.conf.Sizes;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as 256m and 1g. */
public final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(final String text) {
        try {
            return Sizes.parse(text);
        } catch (final IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
