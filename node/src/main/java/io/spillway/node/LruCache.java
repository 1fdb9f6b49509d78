// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Keeps the values that were used last, as far as their weights allow, and always the newest one.
 * Thread-safe; nothing but the map is touched under the lock.
 */
final class LruCache<K, V> {
    private static final float LOAD_FACTOR = 0.75f;
    private static final int INITIAL_CAPACITY = 16;

    private long maxWeight;
    private final ToLongFunction<V> weigher;
    private final Consumer<V> onRemoved;
    private final Map<K, V> values = new LinkedHashMap<>(INITIAL_CAPACITY, LOAD_FACTOR, true);
    private long weight;

    /**
     * Creates a cache.
     *
     * @param onRemoved called with each value that leaves, once
     */
    LruCache(final long maxWeight, final ToLongFunction<V> weigher, final Consumer<V> onRemoved) {
        this.maxWeight = maxWeight;
        this.weigher = weigher;
        this.onRemoved = onRemoved;
    }

    /** The value, or null. */
    synchronized V get(final K key) {
        return values.get(key);
    }

    /** Keeps {@code value} in place of whatever was there. */
    void put(final K key, final V value) {
        final List<V> removed = new ArrayList<>(1);
        synchronized (this) {
            final V former = values.put(key, value);
            weight += weigher.applyAsLong(value);
            if (former != null) {
                weight -= weigher.applyAsLong(former);
                removed.add(former);
            }
            removeEldest(removed);
        }
        removed.forEach(onRemoved);
    }

    private void removeEldest(final List<V> removed) {
        final Iterator<V> eldestFirst = values.values().iterator();
        while (weight > maxWeight && values.size() > 1) {
            removed.add(remove(eldestFirst));
        }
    }

    private V remove(final Iterator<V> values) {
        final V value = values.next();
        values.remove();
        weight -= weigher.applyAsLong(value);
        return value;
    }

    /** Removes what {@code keys} accepts. */
    void removeIf(final Predicate<K> keys) {
        final List<V> removed = new ArrayList<>();
        synchronized (this) {
            values.entrySet()
                    .removeIf(
                            entry -> {
                                if (!keys.test(entry.getKey())) {
                                    return false;
                                }
                                weight -= weigher.applyAsLong(entry.getValue());
                                removed.add(entry.getValue());
                                return true;
                            });
        }
        removed.forEach(onRemoved);
    }

    /** What the weights may be in all. */
    synchronized long limit() {
        return maxWeight;
    }

    /** Sets what the weights may be in all, from the next {@link #put} on. */
    synchronized void limit(final long newMaxWeight) {
        maxWeight = newMaxWeight;
    }

    synchronized int size() {
        return values.size();
    }
}
