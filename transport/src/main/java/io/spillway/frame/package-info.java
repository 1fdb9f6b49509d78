/** The codec of all frames: headers, checks of bodies, errors. */
package io.spillway.frame;
