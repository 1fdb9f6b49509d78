/** What a shuffle is set to. Immutable. */
package io.spillway.engine.settings;
