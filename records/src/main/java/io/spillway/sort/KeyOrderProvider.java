// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Optional;
import org.apache.hadoop.io.RawComparator;

/**
 * Gives orders with prefixes for more comparators than {@link KeyOrders} knows; found by {@link
 * java.util.ServiceLoader} through the thread's context class loader.
 */
public interface KeyOrderProvider {
    /**
     * The order of exactly this comparator, or empty when its byte order is not known here. An
     * implementation compares {@code comparator.getClass()} with the class it knows: a subclass may
     * order otherwise.
     */
    Optional<KeyOrder> orderOf(RawComparator<?> comparator);
}
