/** The tiers, and chains of them. */
package io.spillway.store.tier;
