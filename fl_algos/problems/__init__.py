"""Problems: the functions f_k of the clients, with their L, mu and theta* where these exist."""
