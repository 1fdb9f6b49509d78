/**
 * A segment on its way from its node to the merge: what is asked for, what is here, and where it
 * lies.
 */
package io.spillway.engine.reduce.segment;
