// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.conf.Sizes;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads rates: bytes a second as sizes are written, 500m or 2g, in powers of 1024; or bits a second
 * as networks are sold, 10gbit or 2.5gbit, in powers of 1000. none is 0.
 */
public final class RateConverter implements ITypeConverter<Double> {
    private static final Pattern BITS =
            Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)([kmgt]?)bit");
    private static final String UNITS = "kmgt";
    private static final double THOUSAND = 1000;
    private static final int BYTE_BITS = 8;

    @Override
    public Double convert(final String text) {
        final String rate = text.trim().toLowerCase(Locale.ROOT).replaceFirst("/s$", "");
        if (rate.equals("none")) {
            return 0.0;
        }
        final Matcher bits = BITS.matcher(rate);
        final double bytes =
                bits.matches()
                        ? Double.parseDouble(bits.group(1)) * unit(bits.group(2)) / BYTE_BITS
                        : bytes(rate, text);
        if (bytes <= 0) {
            throw wrong(text);
        }
        return bytes;
    }

    private static double unit(final String name) {
        return name.isEmpty() ? 1 : Math.pow(THOUSAND, UNITS.indexOf(name) + 1.0);
    }

    private static double bytes(final String rate, final String text) {
        try {
            return Sizes.parse(rate);
        } catch (final IllegalArgumentException e) {
            throw wrong(text);
        }
    }

    private static TypeConversionException wrong(final String text) {
        return new TypeConversionException(
                "'"
                        + text
                        + "': expected bytes a second, as 500m or 2g, bits a second, as 10gbit, or"
                        + " none");
    }
}
