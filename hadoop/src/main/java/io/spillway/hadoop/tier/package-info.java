/** The tiers in which a task of either side keeps what it makes, as its node offers them. */
package io.spillway.hadoop.tier;
